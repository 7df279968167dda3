// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mutual TLS between the agent's client and the server: both sides insist on
 * the cluster's CA, and the client on the arbiter's name.
 */
#include "daemon/agent/fetch.h"
#include "http_world.h"

struct fixture {
	struct world *w;
	char ca[160], other_ca[160];
	sd_event *event;
	long status;
	struct why why;
	char body[4096];
};

static void run(const char *command)
{
	if (system(command))
		fail_msg("failed: %s", command);
}

static void write_template(const char *folder, const char *name,
			   const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s.tmpl", folder, name);
	fixture_write(path, text, strlen(text));
}

static void make_key(const char *folder, const char *name)
{
	char command[1024];

	snprintf(command, sizeof(command),
		 "certtool --generate-privkey --ecc --outfile %s/%s.key "
		 ">/dev/null 2>&1",
		 folder, name);
	run(command);
}

static void make_ca(const char *folder, const char *name)
{
	char command[1024];

	make_key(folder, name);
	write_template(folder, name,
		       "cn = \"ca\"\nca\ncert_signing_key\n"
		       "expiration_days = 2\n");
	snprintf(command, sizeof(command),
		 "certtool --generate-self-signed --load-privkey %s/%s.key "
		 "--template %s/%s.tmpl --outfile %s/%s.crt >/dev/null 2>&1",
		 folder, name, folder, name, folder, name);
	run(command);
}

static void make_certificate(const char *folder, const char *name,
			     const char *ca, const char *uses)
{
	char command[1024], text[256];

	make_key(folder, name);
	snprintf(text, sizeof(text),
		 "cn = \"%s\"\ndns_name = \"%s\"\nsigning_key\n"
		 "expiration_days = 2\n%s",
		 name, name, uses);
	write_template(folder, name, text);
	snprintf(command, sizeof(command),
		 "certtool --generate-certificate --load-privkey %s/%s.key "
		 "--load-ca-certificate %s/%s.crt --load-ca-privkey %s/%s.key "
		 "--template %s/%s.tmpl --outfile %s/%s.crt >/dev/null 2>&1",
		 folder, name, folder, ca, folder, ca, folder, name, folder,
		 name);
	run(command);
}

static char *path_in(const char *folder, const char *name, const char *suffix)
{
	char *path = malloc(256);

	snprintf(path, 256, "%s/%s.%s", folder, name, suffix);
	return path;
}

static int set_up(void **state)
{
	static const char both[] = "tls_www_server\ntls_www_client\n";
	struct fixture *f = calloc(1, sizeof(*f));
	const char *folder;

	curl_global_init(CURL_GLOBAL_DEFAULT);
	f->w = world_new();
	folder = f->w->folder;
	make_ca(folder, "ca");
	make_ca(folder, "otherca");
	make_certificate(folder, "n1", "ca", both);
	make_certificate(folder, "n2", "ca", both);
	make_certificate(folder, "server", "ca", "tls_www_server\n");
	make_certificate(folder, "stranger", "otherca", both);
	f->w->params.tls_ca = path_in(folder, "ca", "crt");
	f->w->params.tls_certificate = path_in(folder, "n1", "crt");
	f->w->params.tls_key = path_in(folder, "n1", "key");
	world_start(f->w);
	publish(f->w);
	assert_int_equal(sd_event_new(&f->event), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	free((char *)f->w->params.tls_ca);
	free((char *)f->w->params.tls_certificate);
	free((char *)f->w->params.tls_key);
	world_free(f->w);
	sd_event_unref(f->event);
	free(f);
	curl_global_cleanup();
	return 0;
}

static void on_done(void *arg, const struct fetch_result *result)
{
	struct fixture *f = arg;

	f->status = result->status;
	f->why = result->why;
	snprintf(f->body, sizeof(f->body), "%.*s", (int)result->bytes,
		 result->body ? result->body : "");
	sd_event_exit(f->event, 0);
}

/* As the node @who, trusting @ca, ask the arbiter @name. */
static void fetch_as(struct fixture *f, const char *who, const char *ca,
		     const char *name)
{
	const char *folder = f->w->folder;
	char *ca_path = path_in(folder, ca, "crt");
	char *certificate = path_in(folder, who, "crt");
	char *key = path_in(folder, who, "key");
	const struct fetch_tls tls = { ca_path, certificate, key };
	const struct fetch_target target = { name, IPV4(127, 0, 0, 1),
					     f->w->params.port };
	struct fetch *fetch;
	struct why why;

	/* A loop that has exited cannot run again. */
	sd_event_unref(f->event);
	assert_int_equal(sd_event_new(&f->event), 0);
	assert_int_equal(fetch_new(&fetch, f->event, &tls, on_done, f, &why),
			 0);
	assert_int_equal(fetch_start(fetch, &target, 0), 0);
	assert_int_equal(sd_event_loop(f->event), 0);
	fetch_free(fetch);
	free(ca_path);
	free(certificate);
	free(key);
}

static void serves_a_node_of_the_cluster(void **state)
{
	struct fixture *f = *state;

	fetch_as(f, "n2", "ca", "n1");
	assert_int_equal(f->status, 200);
	assert_string_equal(f->body, f->w->map->text);
}

static void refuses_another_cas_client(void **state)
{
	struct fixture *f = *state;

	fetch_as(f, "stranger", "ca", "n1");
	assert_int_not_equal(f->status, 200);
	assert_null(strstr(f->body, "kardia.map"));
}

static void refuses_a_certificate_for_servers_only(void **state)
{
	struct fixture *f = *state;

	fetch_as(f, "server", "ca", "n1");
	assert_int_equal(f->status, 403);
	assert_contains(f->body, "no-certificate");
}

static void the_client_refuses_another_cas_server(void **state)
{
	struct fixture *f = *state;

	fetch_as(f, "n2", "otherca", "n1");
	assert_int_equal(f->status, 0);
	assert_contains(f->why.text, "certificate");
}

static void the_client_refuses_another_name(void **state)
{
	struct fixture *f = *state;

	fetch_as(f, "n2", "ca", "n7");
	assert_int_equal(f->status, 0);
	assert_contains(f->why.text, "certificate");
}

static void refuses_a_client_without_certificate(void **state)
{
	struct fixture *f = *state;
	struct answer answer;
	CURL *curl = request(f->w, "/v1/map", &answer);

	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
	perform(curl, &answer);
	assert_int_not_equal(answer.status, 200);
	assert_true(!answer.body || !strstr(answer.body, "kardia.map"));
	free(answer.body);
}

static void refuses_plain_http(void **state)
{
	struct fixture *f = *state;
	struct answer answer;
	CURL *curl = request(f->w, "/v1/map", &answer);
	char url[64];

	snprintf(url, sizeof(url), "http://127.0.0.1:%u/v1/map",
		 f->w->params.port);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	perform(curl, &answer);
	assert_true(answer.code || answer.status >= 400);
	free(answer.body);
}

static void the_unix_socket_needs_none(void **state)
{
	struct fixture *f = *state;
	struct answer answer;
	CURL *curl = request(f->w, "/v1/map", &answer);

	curl_easy_setopt(curl, CURLOPT_URL, "http://kardiad/v1/map");
	curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, f->w->socket);
	perform(curl, &answer);
	expect_map(answer, f->w->map);
}

static void does_not_start_without_its_files(void **state)
{
	struct fixture *f = *state;
	struct server_params params = f->w->params;
	char path[160];
	struct server *server;
	struct why why;

	snprintf(path, sizeof(path), "%s/other.sock", f->w->folder);
	params.socket = path;
	params.port = free_port();
	params.tls_key = "/nowhere/key";
	assert_true(server_start(&server, &params, &why) < 0);
	assert_contains(why.text, "/nowhere/key");
	params.tls_key = f->w->params.tls_certificate;
	assert_true(server_start(&server, &params, &why) < 0);
	assert_contains(why.text, "are the TLS files in order?");
	assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(serves_a_node_of_the_cluster),
		cmocka_unit_test(refuses_another_cas_client),
		cmocka_unit_test(refuses_a_certificate_for_servers_only),
		cmocka_unit_test(the_client_refuses_another_cas_server),
		cmocka_unit_test(the_client_refuses_another_name),
		cmocka_unit_test(refuses_a_client_without_certificate),
		cmocka_unit_test(refuses_plain_http),
		cmocka_unit_test(the_unix_socket_needs_none),
		cmocka_unit_test(does_not_start_without_its_files),
	};

	if (system("command -v certtool >/dev/null")) {
		puts("1..0 # SKIP certtool is missing: install gnutls-bin");
		return 0;
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The HTTP server: what it answers and refuses, that requests are held until
 * there is news, and that no client keeps it from others or from publishing.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "http_world.h"

#define WAITERS 40

static int set_up(void **state)
{
	struct world *w = world_new();

	world_start(w);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	world_free(*state);
	return 0;
}

static void has_no_map_at_first(void **state)
{
	struct world *w = *state;

	expect_answer(get(w, "/v1/map"), 503, "\"code\":\"no-map\"");
	expect_answer(get(w, "/v1/map?since=0"), 503, "kardia.error/1");
}

static void serves_the_newest_map(void **state)
{
	struct world *w = *state;

	publish(w);
	expect_map(get(w, "/v1/map"), w->map);
	publish(w);
	expect_map(get(w, "/v1/map"), w->map);
	expect_map(get(w, "/v1/map?since=0"), w->map);
	expect_map(get(w, "/v1/map?since=1"), w->map);
	/* Who is ahead gets the whole as well. */
	expect_map(get(w, "/v1/map?since=3"), w->map);
	expect_map(get(w, "/v1/map?since=18446744073709551615"), w->map);
}

static void serves_the_status(void **state)
{
	struct world *w = *state;
	struct answer answer;

	status_set_epochs(w->params.status, 5, 4);
	status_set_kernel(w->params.status, "kardia.ko is not loaded");
	status_set_reachable(w->params.status, true, NULL);
	status_set_arbiter(w->params.status, 3, NULL);
	answer = get(w, "/v1/status");
	assert_int_equal(answer.status, 200);
	assert_contains(answer.body, "\"schema\":\"kardia.status/1\"");
	assert_contains(answer.body, "\"roles\":[\"agent\",\"arbiter\"]");
	assert_contains(answer.body, "\"epoch\":5,\"applied_epoch\":4");
	assert_contains(answer.body, "\"arbiter_reachable\":true");
	assert_contains(answer.body, "\"kernel\":{\"ok\":false,\"error\":"
				     "\"kardia.ko is not loaded\"}");
	assert_contains(answer.body,
			"\"deciding\":{\"term\":3,\"error\":null}");
	free(answer.body);
	status_set_kernel(w->params.status, NULL);
	expect_answer(get(w, "/v1/status"), 200,
		      "\"kernel\":{\"ok\":true,\"error\":null}");
}

static struct answer send_as(struct world *w, const char *method,
			     const char *path, const char *body)
{
	struct answer answer;
	CURL *curl = request(w, path, &answer);

	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
	if (body)
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	perform(curl, &answer);
	return answer;
}

static void refuses_what_it_does_not_know(void **state)
{
	struct world *w = *state;

	publish(w);
	expect_answer(get(w, "/"), 404, "\"code\":\"not-found\"");
	expect_answer(get(w, "/v1/map/"), 404, "not-found");
	expect_answer(get(w, "/v1/../v1/maps"), 404, "not-found");
	expect_answer(get(w, "/v1/map?since="), 400, "bad-since");
	expect_answer(get(w, "/v1/map?since=-1"), 400, "bad-since");
	expect_answer(get(w, "/v1/map?since=1x"), 400, "bad-since");
	expect_answer(get(w, "/v1/map?since=99999999999999999999"), 400,
		      "bad-since");
	expect_answer(send_as(w, "POST", "/v1/map", "x=1"), 405, "bad-method");
	expect_answer(send_as(w, "DELETE", "/v1/map", NULL), 405, "bad-method");
	expect_answer(send_as(w, "GET", "/v1/map", "body"), 413, "no-body");
	expect_map(get(w, "/v1/map"), w->map);
}

static void answers_head_without_a_body(void **state)
{
	struct world *w = *state;
	struct answer answer;
	CURL *curl = request(w, "/v1/map", &answer);

	publish(w);
	curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
	perform(curl, &answer);
	expect_answer(answer, 200, NULL);
}

static void serves_the_unix_socket(void **state)
{
	struct world *w = *state;
	struct answer answer;
	struct stat st;
	CURL *curl;

	publish(w);
	curl = request(w, "/v1/map", &answer);
	curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, w->socket);
	perform(curl, &answer);
	expect_map(answer, w->map);
	assert_int_equal(stat(w->socket, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0660);
}

static void holds_until_the_time_is_over(void **state)
{
	struct world *w = *state;
	uint64_t start_ms = now_ms();

	publish(w);
	expect_answer(get(w, "/v1/map?since=1"), 204, NULL);
	assert_in_range(now_ms() - start_ms, HOLD_MS, HOLD_MS + 1000);
}

static void *publish_later(void *arg)
{
	usleep(100000);
	publish(arg);
	return NULL;
}

static void holds_until_there_is_news(void **state)
{
	struct world *w = *state;
	uint64_t start_ms = now_ms();
	struct answer answer;
	pthread_t thread;

	publish(w);
	assert_int_equal(pthread_create(&thread, NULL, publish_later, w), 0);
	answer = get(w, "/v1/map?since=1");
	assert_in_range(now_ms() - start_ms, 100, PROMPT_MS);
	pthread_join(thread, NULL);
	expect_map(answer, w->map);
}

static void run_multi(CURLM *multi, uint64_t for_ms)
{
	uint64_t end_ms = now_ms() + for_ms;
	int running = 1;

	while (running && now_ms() < end_ms) {
		curl_multi_perform(multi, &running);
		curl_multi_poll(multi, NULL, 0, 10, NULL);
	}
}

struct crowd {
	CURLM *multi;
	CURL *requests[WAITERS];
	struct answer answers[WAITERS];
};

/* Many requests that wait for epoch 2. */
static void crowd_begin(struct crowd *c, struct world *w)
{
	int i;

	publish(w);
	c->multi = curl_multi_init();
	for (i = 0; i < WAITERS; i++) {
		c->requests[i] = request(w, "/v1/map?since=1", &c->answers[i]);
		curl_multi_add_handle(c->multi, c->requests[i]);
	}
	run_multi(c->multi, 150);
}

static void crowd_end(struct crowd *c)
{
	int i;

	run_multi(c->multi, 5000);
	for (i = 0; i < WAITERS; i++) {
		curl_easy_getinfo(c->requests[i], CURLINFO_RESPONSE_CODE,
				  &c->answers[i].status);
		curl_multi_remove_handle(c->multi, c->requests[i]);
		curl_easy_cleanup(c->requests[i]);
	}
	curl_multi_cleanup(c->multi);
}

static void lets_a_crowd_go_at_once(void **state)
{
	struct world *w = *state;
	struct crowd c;
	int i;

	crowd_begin(&c, w);
	for (i = 0; i < WAITERS; i++)
		assert_int_equal(c.answers[i].bytes, 0);
	publish(w);
	crowd_end(&c);
	for (i = 0; i < WAITERS; i++)
		expect_map(c.answers[i], w->map);
}

static void stops_with_a_crowd_waiting(void **state)
{
	struct world *w = *state;
	uint64_t start_ms;
	struct crowd c;
	int i;

	crowd_begin(&c, w);
	start_ms = now_ms();
	server_stop(w->server);
	w->server = NULL;
	assert_in_range(now_ms() - start_ms, 0, PROMPT_MS);
	crowd_end(&c);
	for (i = 0; i < WAITERS; i++)
		free(c.answers[i].body);
	assert_int_equal(access(w->socket, F_OK), -1);
}

/* A connection that sends @text and reads nothing. */
static int rude_client(struct world *w, const char *text)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_addr = IPV4(127, 0, 0, 1),
		.sin_port = htons(w->params.port),
	};
	const int small = 1024;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	assert_int_equal(connect(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL),
			 strlen(text));
	return fd;
}

static void rude_clients_delay_nobody(void **state)
{
	static const char *const texts[] = {
		"",
		"G",
		"GET /v1/map HTTP/1.1\r\nHost: x\r\nX-",
		"GET /v1/map?since=0 HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /v1/map?since=1 HTTP/1.1\r\nHost: x\r\n\r\n",
		"\x16\x03\x01\x02",
		"\r\n\r\n\r\n",
		"GET\r\n\r\n",
		"GET /v1/map HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
	};
	struct world *w = *state;
	uint64_t start_ns, worst_ns = 0;
	int fds[90];
	unsigned int i;

	publish(w);
	for (i = 0; i < 90; i++)
		fds[i] = rude_client(w, texts[i % 9]);
	for (i = 0; i < 20; i++) {
		start_ns = clock_mono_ns();
		publish(w);
		if (clock_mono_ns() - start_ns > worst_ns)
			worst_ns = clock_mono_ns() - start_ns;
		expect_map(get(w, "/v1/map"), w->map);
	}
	/* Sealing the map is part of it. */
	assert_in_range(worst_ns, 0, 1000000000);
	for (i = 0; i < 90; i++)
		close(fds[i]);
	expect_map(get(w, "/v1/map?since=1"), w->map);
}

static void survives_oversized_headers(void **state)
{
	struct world *w = *state;
	struct answer answer;
	CURL *curl = request(w, "/v1/map", &answer);
	char *header = calloc(1, 20001);
	struct curl_slist *list;

	publish(w);
	memset(header, 'x', 20000);
	memcpy(header, "X-Long: ", 8);
	list = curl_slist_append(NULL, header);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
	perform(curl, &answer);
	assert_true(answer.code || answer.status >= 400);
	free(answer.body);
	curl_slist_free_all(list);
	free(header);
	expect_map(get(w, "/v1/map"), w->map);
}

static void connect_and_leave(struct world *w, unsigned int n)
{
	int fds[300];
	unsigned int i;

	for (i = 0; i < n; i++)
		fds[i] = rude_client(w, "");
	for (i = 0; i < n; i++)
		close(fds[i]);
	usleep(50000);
}

/* Also in numbers that fill batches of events. */
static void is_there_again_after_too_many(void **state)
{
	static const unsigned int counts[] = { 128, 256, 256, 300, 300 };
	struct world *w = *state;
	unsigned int i;

	publish(w);
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		connect_and_leave(w, counts[i]);
		expect_map(get(w, "/v1/map"), w->map);
	}
}

static void yields_to_a_live_one(void **state)
{
	struct world *w = *state;
	struct server_params params = w->params;
	struct server *other = NULL;
	struct why why;

	params.addresses[0].s_addr = 0;
	assert_int_equal(server_start(&other, &params, &why), -EADDRINUSE);
	assert_contains(why.text, "another kardiad answers there");
	assert_int_equal(access(w->socket, F_OK), 0);
	publish(w);
	expect_map(get(w, "/v1/map"), w->map);
}

static void replaces_a_dead_ones_socket(void **state)
{
	struct world *w = *state;
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	server_stop(w->server);
	strcpy(sun.sun_path, w->socket);
	assert_int_equal(bind(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
	close(fd);
	world_start(w);
	serves_the_unix_socket(state);
}

static void leaves_other_files_alone(void **state)
{
	struct world *w = *state;
	struct why why;

	server_stop(w->server);
	w->server = NULL;
	fixture_write(w->socket, "precious", 8);
	assert_int_equal(server_start(&w->server, &w->params, &why),
			 -EADDRINUSE);
	assert_contains(why.text, "is no socket");
	assert_int_equal(access(w->socket, F_OK), 0);
}

static void tells_a_port_in_use(void **state)
{
	struct world *w = *state;
	struct server_params params = w->params;
	struct server *other;
	char path[160];
	struct why why;

	snprintf(path, sizeof(path), "%s/other.sock", w->folder);
	params.socket = path;
	assert_int_equal(server_start(&other, &params, &why), -EADDRINUSE);
	assert_contains(why.text, "127.0.0.1 port");
	/* Nothing of it is left. */
	assert_int_equal(access(path, F_OK), -1);
}

#define WITH_SERVER(test) \
	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SERVER(has_no_map_at_first),
		WITH_SERVER(serves_the_newest_map),
		WITH_SERVER(serves_the_status),
		WITH_SERVER(refuses_what_it_does_not_know),
		WITH_SERVER(answers_head_without_a_body),
		WITH_SERVER(serves_the_unix_socket),
		WITH_SERVER(holds_until_the_time_is_over),
		WITH_SERVER(holds_until_there_is_news),
		WITH_SERVER(lets_a_crowd_go_at_once),
		WITH_SERVER(stops_with_a_crowd_waiting),
		WITH_SERVER(rude_clients_delay_nobody),
		WITH_SERVER(survives_oversized_headers),
		WITH_SERVER(is_there_again_after_too_many),
		WITH_SERVER(yields_to_a_live_one),
		WITH_SERVER(replaces_a_dead_ones_socket),
		WITH_SERVER(leaves_other_files_alone),
		WITH_SERVER(tells_a_port_in_use),
	};

	curl_global_init(CURL_GLOBAL_DEFAULT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

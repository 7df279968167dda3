// SPDX-License-Identifier: GPL-2.0-or-later
/* Owns how and where we listen. Serves nothing itself. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/file.h"
#include "daemon/http/listen.h"

#define BACKLOG 128

static int bind_and_listen(int fd, const void *address, socklen_t bytes)
{
	if (bind(fd, address, bytes) || listen(fd, BACKLOG)) {
		int ret = -errno;

		close(fd);
		return ret;
	}
	return fd;
}

int listen_tcp(struct in_addr address, uint32_t port, struct why *why)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr = address,
	};
	char text[INET_ADDRSTRLEN];
	const int on = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return why_set(why, -errno, "socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &on, sizeof(on));
	fd = bind_and_listen(fd, &sin, sizeof(sin));
	inet_ntop(AF_INET, &address, text, sizeof(text));
	if (fd < 0)
		return why_set(why, fd, "%s port %u: %s", text, port,
			       strerror(-fd));
	return fd;
}

static int unix_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Does anybody listen there? A full backlog (EAGAIN) is somebody, too. */
static bool is_alive(const struct sockaddr_un *sun)
{
	int fd = unix_socket();
	bool alive = fd >= 0 && (!connect(fd, (const struct sockaddr *)sun,
					  sizeof(*sun)) ||
				 errno == EAGAIN);

	if (fd >= 0)
		close(fd);
	return alive;
}

/* Make room at the path, if what is there is ours to remove. */
static int clear_path(const struct sockaddr_un *sun, struct why *why)
{
	struct stat st;

	if (lstat(sun->sun_path, &st))
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return why_set(why, -EADDRINUSE, "%s exists, and is no socket",
			       sun->sun_path);
	if (is_alive(sun))
		return why_set(why, -EADDRINUSE,
			       "%s: another kardiad answers there",
			       sun->sun_path);
	unlink(sun->sun_path);
	return 0;
}

int listen_unix(const char *path, struct why *why)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd, ret;

	if (strlen(path) >= sizeof(sun.sun_path))
		return why_set(why, -ENAMETOOLONG, "%s: longer than %zu bytes",
			       path, sizeof(sun.sun_path) - 1);
	strcpy(sun.sun_path, path);
	ret = file_make_parent(path, why);
	if (!ret)
		ret = clear_path(&sun, why);
	if (ret)
		return ret;
	fd = unix_socket();
	if (fd < 0)
		return why_set(why, -errno, "socket: %s", strerror(errno));
	/* Never open to more than this, whatever the umask is. */
	fchmod(fd, 0660);
	fd = bind_and_listen(fd, &sun, sizeof(sun));
	if (fd < 0 || chmod(path, 0660))
		return why_set(why, fd < 0 ? fd : -errno, "%s: %s", path,
			       strerror(fd < 0 ? -fd : errno));
	return fd;
}

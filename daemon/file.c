// SPDX-License-Identifier: GPL-2.0-or-later
/* Owns whole-file reads and writes. Knows no content. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/file.h"
#include "daemon/mem.h"

static int read_all(int fd, char *buf, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while (used < size) {
		n = read(fd, buf + used, size - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		used += n;
	}
	return used;
}

static int write_all(int fd, const char *text, size_t bytes)
{
	ssize_t n;

	while (bytes) {
		n = write(fd, text, bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		bytes -= n;
	}
	return 0;
}

int file_read(const char *path, size_t max, char **text, size_t *bytes,
	      struct why *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *buf;
	int ret;

	if (fd < 0 || fstat(fd, &st)) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return why_set(why, ret, "%s: %s", path, strerror(-ret));
	}
	if (!S_ISREG(st.st_mode) || (size_t)st.st_size > max) {
		close(fd);
		return why_set(why, -EFBIG, "%s: not a file of up to %zu bytes",
			       path, max);
	}
	buf = mem_zalloc(st.st_size + 1, 1);
	ret = read_all(fd, buf, st.st_size);
	close(fd);
	if (ret < 0) {
		free(buf);
		return why_set(why, ret, "%s: %s", path, strerror(-ret));
	}
	buf[ret] = '\0';
	*text = buf;
	*bytes = ret;
	return 0;
}

int file_sync_parent(const char *path)
{
	char copy[PATH_MAX];
	int fd, ret;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = fsync(fd) ? -errno : 0;
	close(fd);
	return ret;
}

static int write_new(const char *path, const char *text, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write_all(fd, text, bytes);
	if (!ret && fsync(fd))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

int file_replace(const char *path, const char *text, size_t bytes,
		 struct why *why)
{
	char new_path[PATH_MAX];
	int ret;

	snprintf(new_path, sizeof(new_path), "%s.new", path);
	ret = write_new(new_path, text, bytes);
	if (!ret && rename(new_path, path))
		ret = -errno;
	if (!ret)
		ret = file_sync_parent(path);
	if (ret)
		return why_set(why, ret, "%s: %s", path, strerror(-ret));
	return 0;
}

static int make_folder(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return mkdir(path, 0755) && errno != EEXIST ? -errno : 0;
}

int file_make_parent(const char *path, struct why *why)
{
	char copy[PATH_MAX];
	char *folder;
	int ret;

	snprintf(copy, sizeof(copy), "%s", path);
	folder = dirname(copy);
	ret = make_folder(folder);
	if (ret)
		return why_set(why, ret, "%s: %s", folder, strerror(-ret));
	return 0;
}

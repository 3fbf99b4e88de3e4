/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the way of `xputrace spdk annotate --with`: the first byte says whether the rest
 * is a recording as it is, or records that become a whole one, so that they get past its
 * checksums; and whether a process is named. Whatever is in it, queue pairs come out that
 * lives can be made of, or a reason.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/log.h"
#include "session/spdk/attach_list.h"
#include "pipeline/recording/recording.h"
#include "wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)
#define AS_IT_IS 1
#define NAMED 2

/* What is no record is skipped, eight bytes at a time. */
static void write_records(int fd, const uint8_t *data, size_t size)
{
	static uint64_t buf[XPT_REC_MAX / 8 + 1];
	struct xpt_rec_writer *w;
	struct xpt_rec rec;

	MUST(!xpt_rec_writer__new(fd, 0, &w));
	while (size >= sizeof(rec)) {
		memcpy(&rec, data, sizeof(rec));
		if (rec.size > size || rec.size < sizeof(rec) || rec.size % 8 || rec.size > XPT_REC_MAX) {
			data += 8;
			size -= 8;
			continue;
		}
		memcpy(buf, data, rec.size);
		MUST(!xpt_rec_writer__write(w, buf, rec.size));
		data += rec.size;
		size -= rec.size;
	}
	MUST(!xpt_rec_writer__close(w));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xpt_spdk_record_stats st = { .points = UINT64_MAX };
	struct xpt_spdk_lives *l;
	char path[40];
	int fd, err;

	if (!size)
		return 0;
	xpt_log__set_level(XPT_LOG_NONE);
	fd = memfd_create("with", MFD_CLOEXEC);
	MUST(fd >= 0 && !xpt_spdk_lives__new(false, &l));
	if (data[0] & AS_IT_IS)
		MUST(write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
	else
		write_records(fd, data + 1, size - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = xpt_spdk_with__read(path, data[0] & NAMED ? 4711 : 0, l, &st);
	MUST(err <= 0 && (err || st.points <= size / sizeof(struct xpt_rec_call)));
	MUST(err || st.bad <= st.points);
	MUST(!xpt_spdk_lives__build(l));
	xpt_spdk_lives__free(l);
	close(fd);
	return 0;
}

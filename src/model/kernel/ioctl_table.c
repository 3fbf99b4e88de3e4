// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of device ioctls, see ioctl_table.h. Look-ups run once per function of a
 * trace, but for the composition of a command, which is shown with each call.
 */
#include "model/kernel/ioctl_table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "wire/vocab.h"

#define DEVICE "DEVICE_"	/* the object whose methods are known by their names alone */

static int compare_code(const void *key, const void *elem)
{
	uint32_t code = *(const uint32_t *)key;
	const struct xpt_ioctl_name *name = elem;

	return (code > name->code) - (code < name->code);
}

static const char *find_name(const struct xpt_ioctl_name *names, size_t nr, uint32_t code)
{
	const struct xpt_ioctl_name *found =
		nr ? bsearch(&code, names, nr, sizeof(*names), compare_code) : NULL;

	return found ? found->name : NULL;
}

static const struct xpt_ioctl_subs *subs_of(const struct xpt_ioctl_set *set, uint32_t code)
{
	size_t i;

	for (i = 0; i < set->nr_subs; i++)
		if (set->subs[i].code == code)
			return &set->subs[i];
	return NULL;
}

static const struct xpt_ioctl_subs *methods_of(const struct xpt_ioctl_set *set, uint32_t driver)
{
	for (size_t i = 0; i < set->nr_methods; i++)
		if (set->methods[i].code == driver)
			return &set->methods[i];
	return NULL;
}

/* Calls of the kernel's RDMA interface. */
static void name_uverbs(const struct xpt_ioctl_set *set, const struct xpt_ioctl_key *key, char *buf, size_t n)
{
	const struct xpt_ioctl_subs *methods;
	const char *name;

	if (key->call == XPT_IOCTL_WRITE) {
		name = find_name(set->writes, set->nr_writes, key->cmd);
		snprintf(buf, n, name ? "%s" : "%s:command_0x%x", name ? name : set->name, key->cmd);
		return;
	}
	methods = methods_of(set, key->cmd);
	name = methods ? find_name(methods->names, methods->nr, key->sub) : NULL;
	if (name && !strncmp(name, DEVICE, sizeof(DEVICE) - 1))
		name += sizeof(DEVICE) - 1;	/* as `rdma watch` shows it */
	if (key->sub == XPT_IOCTL_ANY)
		snprintf(buf, n, "%s(other)", set->name);
	else if (name)
		snprintf(buf, n, "%s", name);
	else if (key->cmd)
		snprintf(buf, n, "driver_%u:0x%x:0x%x", key->cmd, key->sub & 0xffff, key->sub >> 16);
	else
		snprintf(buf, n, "%s:0x%x:0x%x", set->name, key->sub & 0xffff, key->sub >> 16);
}

bool xpt_ioctl__uverbs(const struct xpt_ioctls *t, size_t i, struct xpt_ioctl_key *ret_key)
{
	for (uint32_t table = 1; table < XPT_IOCTL_TABLE__MAX; table++) {
		const struct xpt_ioctl_set *set = &t->sets[table];

		*ret_key = (struct xpt_ioctl_key){ .table = table, .call = XPT_IOCTL_WRITE };
		if (i < set->nr_writes) {
			ret_key->cmd = set->writes[i].code;
			return true;
		}
		i -= set->nr_writes;
		ret_key->call = XPT_IOCTL_METHOD;
		for (size_t m = 0; m < set->nr_methods; i -= set->methods[m++].nr)
			if (i < set->methods[m].nr) {
				ret_key->cmd = set->methods[m].code;
				ret_key->sub = set->methods[m].names[i].code;
				return true;
			}
	}
	return false;
}

char *xpt_ioctl__name(const struct xpt_ioctls *t, const struct xpt_ioctl_key *key, char *buf,
		      size_t n)
{
	const struct xpt_ioctl_subs *subs;
	const struct xpt_ioctl_set *set;
	const char *cmd = NULL, *sub;

	if (!key->table) {
		snprintf(buf, n, "ioctl(other)");
		return buf;
	}
	if (key->call >= XPT_IOCTL_WRITE) {
		name_uverbs(&t->sets[key->table < XPT_IOCTL_TABLE__MAX ? key->table : XPT_IOCTL_VERBS], key, buf, n);
		return buf;
	}
	if (key->call) {
		snprintf(buf, n, "%s:%s", key->call == XPT_IOCTL_MMAP ? "mmap" : "poll",
			 key->table < XPT_IOCTL_TABLE__MAX ? t->sets[key->table].name : "other");
		return buf;
	}
	if (key->table < XPT_IOCTL_TABLE__MAX) {
		set = &t->sets[key->table];
		cmd = find_name(set->cmds, set->nr_cmds, key->cmd & set->mask);
	}
	if (!cmd) {
		snprintf(buf, n, "ioctl(0x%x)", key->cmd);
		return buf;
	}
	subs = key->sub == XPT_IOCTL_ANY ? NULL : subs_of(set, key->cmd & set->mask);
	sub = subs ? find_name(subs->names, subs->nr, key->sub) : NULL;
	if (!subs)
		snprintf(buf, n, "ioctl:%s", cmd);
	else if (sub)
		snprintf(buf, n, "ioctl:%s:%s", cmd, sub);
	else
		snprintf(buf, n, "ioctl:%s:0x%x", cmd, key->sub);
	return buf;
}

uint8_t xpt_ioctl__class(const struct xpt_ioctls *t, const struct xpt_ioctl_key *key)
{
	size_t i;

	if (key->call >= XPT_IOCTL_WRITE)
		return XPT_CLASS_IOCTL;
	if (key->call)
		return key->call == XPT_IOCTL_MMAP ? XPT_CLASS_MAP : XPT_CLASS_OTHER;
	if (!key->table || key->table >= XPT_IOCTL_TABLE__MAX)
		return XPT_CLASS_IOCTL;
	for (i = 0; i < t->nr_sched; i++)
		if (t->sched[i].table == key->table && t->sched[i].sub == key->sub &&
		    t->sched[i].cmd == (key->cmd & t->sets[key->table].mask))
			return XPT_CLASS_SCHED;
	return XPT_CLASS_IOCTL;
}

bool xpt_ioctl__has_layout(const struct xpt_ioctls *t, uint32_t table, uint32_t cmd)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (t->rows[i].key.table == table && t->rows[i].key.sub == XPT_IOCTL_ANY &&
		    t->rows[i].key.cmd == (cmd & XPT_IOCTL_CODE_MASK) && !t->rows[i].layout.xfer)
			return true;
	return false;
}

/* include/uapi/asm-generic/ioctl.h: 8 bits of number, 8 of type, 14 of size, 2 of direction. */
bool xpt_ioctl__code_text(uint64_t cmd, char *buf, size_t n)
{
	static const char *const dir[4] = { "", "W", "R", "WR" };
	unsigned type = cmd >> 8 & 0xff, nr = cmd & 0xff, size = cmd >> 16 & 0x3fff;
	char of[8];

	if (!type || cmd > UINT32_MAX)
		return false;
	if (isgraph((int)type) && type != '\'' && type != '\\' && type != '"')
		snprintf(of, sizeof(of), "'%c'", (int)type);
	else
		snprintf(of, sizeof(of), "0x%02x", type);
	if (size || cmd >> 30)
		snprintf(buf, n, "_IO%s(%s,%u,%u)", dir[cmd >> 30], of, nr, size);
	else
		snprintf(buf, n, "_IO(%s,%u)", of, nr);
	return true;
}

uint32_t xpt_ioctl__table(const struct xpt_ioctls *t, const char *name)
{
	uint32_t i;

	for (i = 1; i < XPT_IOCTL_TABLE__MAX; i++)
		if (!strcmp(t->sets[i].name, name))
			return i;
	return 0;
}

uint64_t xpt_ioctl_device_key(unsigned mode, uint64_t rdev)
{
	return (S_ISBLK(mode) ? XPT_IOCTL_BLOCK : 0) | (uint64_t)major(rdev) << 20 |
	       (minor(rdev) & XPT_IOCTL_ANY_MINOR);
}

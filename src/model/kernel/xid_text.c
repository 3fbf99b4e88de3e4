// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses the text of a report of the GPU driver (Xid): the action that the GPU requests (Xid 154), Fatal or Nonfatal
 * (144 to 150), and the Xid that was its cause. Also normalizes the names of GPUs. The words are from published log
 * lines and from the open driver's source (NV2080_CTRL_GPU_RECOVERY_ACTION_*).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "model/kernel/xid_table.h"

#define LINKS "Check the NVLink connections and the fabric manager's log, then reset the GPUs that are linked."
#define RESET_NOW "End the programs on this GPU and reset it; if it comes back, test and replace it."

struct action {
	const char *word;	/* the text in brackets after "to 0x..." */
	struct xpt_xid_info info;
};

static const struct action actions[] = {
	{ "None", { 154, "the GPU asks for no recovery any more", "info", "Nothing has to be done for it." } },
	{ "GPU Reset Required", { 154, "the GPU asks for a reset", "fatal", RESET_NOW } },
	{ "Node Reboot Required", { 154, "the GPU asks for a restart of the machine", "fatal",
	  "Restart the machine; if it comes back, reseat or replace the GPU and check power and cooling." } },
	{ "Drain P2P", { 154, "the GPU asks that programs which use its peers end", "device",
	  "End the programs that use NVLink between this GPU and others." } },
	{ "Drain and Reset", { 154, "the GPU asks to take no new work and for a reset", "device",
	  "Start no new programs on this GPU, and reset it when the last one has ended." } },
};

static const struct xpt_xid_info fatal_links[] = {
	{ 144, "NVLink: fatal SAW error", "fatal", LINKS },
	{ 145, "NVLink: fatal RLW error", "fatal", LINKS },
	{ 146, "NVLink: fatal TLW error", "fatal", LINKS },
	{ 147, "NVLink: fatal TREX error", "fatal", LINKS },
	{ 148, "NVLink: fatal NVLPW control error", "fatal", LINKS },
	{ 149, "NVLink: fatal NETIR error", "fatal", LINKS },
	{ 150, "NVLink: fatal MSE error", "fatal", LINKS },
};

/* Finds the action in "... changed from 0x0 (None) to 0x2 (Node Reboot Required)"; NULL if there is none. */
static const struct xpt_xid_info *find_action(const char *text)
{
	const char *to = strstr(text, " to 0x"), *open = to ? strchr(to, '(') : NULL;
	size_t i, n;

	for (i = 0; open && i < sizeof(actions) / sizeof(actions[0]); i++) {
		n = strlen(actions[i].word);
		if (!strncmp(open + 1, actions[i].word, n) && open[1 + n] == ')')
			return &actions[i].info;
	}
	return NULL;
}

/* Whether the text has the word, and not as a part of another word. */
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);
	const char *s = text;

	for (; (s = strstr(s, word)); s += n)
		if ((s == text || !isalnum((unsigned char)s[-1])) && !isalnum((unsigned char)s[n]) &&
		    (s == text || s[-1] != '-'))	/* Non-Fatal */
			return true;
	return false;
}

const struct xpt_xid_info *xpt_xid__info_of(uint32_t xid, const char *text)
{
	const struct xpt_xid_info *action = xid == 154 ? find_action(text) : NULL;

	if (action)
		return action;
	for (size_t i = 0; i < sizeof(fatal_links) / sizeof(fatal_links[0]); i++)
		if (fatal_links[i].xid == xid && has_word(text, "Fatal"))
			return &fatal_links[i];
	return xpt_xid__info(xid);
}

uint32_t xpt_xid__cause(const char *text)
{
	static const char words[] = "previous Xid ";
	const char *s = strstr(text, words);
	uint32_t v = 0;

	for (s = s ? s + sizeof(words) - 1 : ""; isdigit((unsigned char)*s); s++) {
		if (v > 9999)	/* numbers have three digits */
			return 0;
		v = v * 10 + (uint32_t)(*s - '0');
	}
	return v;
}

unsigned xpt_xid__rank(const char *severity)
{
	static const char *const order[] = { "info", XPT_XID_UNCONFIRMED, "unknown", "program", "device", "fatal" };
	unsigned i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (!strcmp(order[i], severity))
			return i;
	return 0;
}

/* Reads up to 8 hexadecimal digits before a colon or the end of an address. Returns their end, or NULL. */
static const char *read_part(const char *s, uint32_t *ret_v)
{
	const char *end = s;
	uint32_t v = 0;

	for (; isxdigit((unsigned char)*end) && end - s < 8; end++) {
		int c = tolower((unsigned char)*end);

		v = v << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	*ret_v = v;
	return end > s && (!*end || strchr(":. ", *end)) ? end : NULL;
}

void xpt_xid__normalize(char *device)
{
	uint32_t part[3];
	const char *s = device;
	unsigned nr = 0;

	for (; nr < 3; nr++) {
		s = read_part(s, &part[nr]);
		if (!s)
			return;
		if (*s != ':')
			break;
		s++;
	}
	if (nr != 1 && nr != 2)
		return;
	if (part[nr] > 0x1f || part[nr - 1] > 0xff)
		return;
	/* The first drivers name bus and device only. */
	snprintf(device, XPT_XID_DEVICE_MAX, "%04x:%02x:%02x", nr == 2 ? part[0] : 0, part[nr - 1], part[nr]);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The effect of keys on a view. See view.h. */
#include <string.h>

#include "base/utf8.h"
#include "top/view.h"

#define PAGE 10				/* lines that a page key moves by */
#define ALL (1 << 20)

static void type_key(struct xpt_top_view *v, uint32_t key)
{
	size_t n = strlen(v->filter);

	switch (key) {
	case XPT_TOP_KEY_ESCAPE:
		v->filter[0] = '\0';
		v->typing = false;
		break;
	case XPT_TOP_KEY_ENTER:
		v->typing = false;
		break;
	case XPT_TOP_KEY_BACK:
		if (n)
			v->filter[n - 1] = '\0';
		break;
	default:
		if (key >= ' ' && key < 0x7f && n + 1 < sizeof(v->filter)) {
			v->filter[n] = (char)key;
			v->filter[n + 1] = '\0';
		}
	}
}

/* Keys that move: true if it was one. */
static bool move_key(struct xpt_top_view *v, uint32_t key)
{
	switch (key) {
	case XPT_TOP_KEY_UP:
	case 'k':
		v->move -= 1;
		return true;
	case XPT_TOP_KEY_DOWN:
	case 'j':
		v->move += 1;
		return true;
	case XPT_TOP_KEY_PAGE_UP:
		v->move -= PAGE;
		return true;
	case XPT_TOP_KEY_PAGE_DOWN:
		v->move += PAGE;
		return true;
	case XPT_TOP_KEY_FIRST:
		v->move = -ALL;
		return true;
	case XPT_TOP_KEY_LAST:
		v->move = ALL;
		return true;
	default:
		return false;
	}
}

/* The same key again turns the order round. */
static bool sort_key(struct xpt_top_view *v, uint32_t key)
{
	static const char keys[] = {
#define X(constant, key_, name) key_,
		XPT_TOP_SORTS(X)
#undef X
	};
	unsigned list = v->panel == XPT_TOP_FUNCTIONS;

	if (v->panel > XPT_TOP_FUNCTIONS)
		return false;
	for (unsigned i = 0; i < sizeof(keys); i++) {
		if (key != (uint32_t)keys[i])
			continue;
		v->reverse[list] = v->sort[list] == (enum xpt_top_sort)i && !v->reverse[list];
		v->sort[list] = (enum xpt_top_sort)i;
		return true;
	}
	return false;
}

static void show_panel(struct xpt_top_view *v, enum xpt_top_panel panel)
{
	if (panel == XPT_TOP_HELP && v->panel != XPT_TOP_HELP)
		v->under = v->panel;
	v->panel = v->panel == panel ? (panel == XPT_TOP_HELP ? v->under : XPT_TOP_PROCESSES) : panel;
	v->move = 0;
}

static void go_back(struct xpt_top_view *v)
{
	if (v->panel == XPT_TOP_PROCESSES)
		v->filter[0] = '\0';
	else
		show_panel(v, v->panel);
}

void xpt_top_view__key(struct xpt_top_view *v, uint32_t key)
{
	if (v->typing) {
		type_key(v, key);
		return;
	}
	if (key == 'q')
		v->quit = true;
	else if (key == 'h' || key == '?')
		show_panel(v, XPT_TOP_HELP);
	else if (key == 'd')
		show_panel(v, XPT_TOP_DEVICES);
	else if (key == 'r')
		show_panel(v, XPT_TOP_RDMA);
	else if (key == 't' && v->panel == XPT_TOP_FUNCTIONS)
		v->since_start = !v->since_start;
	else if (key == XPT_TOP_KEY_ESCAPE || key == XPT_TOP_KEY_BACK)
		go_back(v);
	else if (key == XPT_TOP_KEY_ENTER && v->panel == XPT_TOP_PROCESSES && v->has_selection)
		show_panel(v, XPT_TOP_FUNCTIONS);
	else if (key == XPT_TOP_KEY_ENTER && v->panel != XPT_TOP_PROCESSES)
		go_back(v);
	else if (key == '/' && v->panel == XPT_TOP_PROCESSES)
		v->typing = true;
	else if (!move_key(v, key))
		sort_key(v, key);
}

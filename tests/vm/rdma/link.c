// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes and removes soft RDMA devices, by the kernel's netlink interface:
 *   rdma_link add NAME TYPE NETDEV      TYPE: rxe, siw ...
 *   rdma_link del NAME
 *   rdma_link netns exclusive|shared	whether devices are seen in one network namespace alone
 * What `rdma link` of iproute2 does, for machines that come without it.
 * Exit: 0 done, 1 refused (stderr: why), 2 usage.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_DEVICES 64

struct message {
	struct nlmsghdr nh;
	char attrs[1024];
};

static void add_attr(struct message *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr *a = (struct nlattr *)((char *)m + NLMSG_ALIGN(m->nh.nlmsg_len));

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	memcpy((char *)a + NLA_HDRLEN, data, len);
	m->nh.nlmsg_len = NLMSG_ALIGN(m->nh.nlmsg_len) + NLA_ALIGN(a->nla_len);
}

static void start(struct message *m, uint16_t command, uint16_t flags)
{
	memset(m, 0, sizeof(*m));
	m->nh.nlmsg_len = NLMSG_HDRLEN;
	m->nh.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command);
	m->nh.nlmsg_flags = NLM_F_REQUEST | flags;
}

/* The first answer, in @m. 0, the kernel's negative errno, or that of the socket. */
static int ask(int fd, struct message *m)
{
	if (send(fd, m, m->nh.nlmsg_len, 0) < 0 || recv(fd, m, sizeof(*m), 0) < 0)
		return -errno;
	if (m->nh.nlmsg_type == NLMSG_ERROR)
		return ((struct nlmsgerr *)m->attrs)->error;
	return 0;
}

static const char *string_of(const struct message *m, uint16_t type)
{
	size_t at = NLMSG_HDRLEN;

	while (at + NLA_HDRLEN <= m->nh.nlmsg_len && m->nh.nlmsg_len <= sizeof(*m)) {
		const struct nlattr *a = (const struct nlattr *)((const char *)m + at);

		if (a->nla_len < NLA_HDRLEN)
			break;
		if (a->nla_type == type)
			return (const char *)a + NLA_HDRLEN;
		at += NLA_ALIGN(a->nla_len);
	}
	return "";
}

static int add(int fd, const char *name, const char *type, const char *netdev)
{
	struct message m;

	start(&m, RDMA_NLDEV_CMD_NEWLINK, NLM_F_ACK);
	add_attr(&m, RDMA_NLDEV_ATTR_DEV_NAME, name, strlen(name) + 1);
	add_attr(&m, RDMA_NLDEV_ATTR_LINK_TYPE, type, strlen(type) + 1);
	add_attr(&m, RDMA_NLDEV_ATTR_NDEV_NAME, netdev, strlen(netdev) + 1);
	return ask(fd, &m);
}

/* Devices go by their number, which only their own answer tells. */
static int del(int fd, const char *name)
{
	struct message m;

	for (uint32_t i = 0; i < MAX_DEVICES; i++) {
		start(&m, RDMA_NLDEV_CMD_GET, 0);
		add_attr(&m, RDMA_NLDEV_ATTR_DEV_INDEX, &i, sizeof(i));
		if (ask(fd, &m) || strcmp(string_of(&m, RDMA_NLDEV_ATTR_DEV_NAME), name))
			continue;
		start(&m, RDMA_NLDEV_CMD_DELLINK, NLM_F_ACK);
		add_attr(&m, RDMA_NLDEV_ATTR_DEV_INDEX, &i, sizeof(i));
		return ask(fd, &m);
	}
	return -ENODEV;
}

static int set_netns(int fd, const char *mode)
{
	uint8_t shared = !strcmp(mode, "shared");
	struct message m;

	start(&m, RDMA_NLDEV_CMD_SYS_SET, NLM_F_ACK);
	add_attr(&m, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, &shared, sizeof(shared));
	return ask(fd, &m);
}

int main(int argc, char **argv)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA), err;

	if (argc == 5 && !strcmp(argv[1], "add")) {
		err = fd < 0 ? -errno : add(fd, argv[2], argv[3], argv[4]);
	} else if (argc == 3 && !strcmp(argv[1], "del")) {
		err = fd < 0 ? -errno : del(fd, argv[2]);
	} else if (argc == 3 && !strcmp(argv[1], "netns")) {
		err = fd < 0 ? -errno : set_netns(fd, argv[2]);
	} else {
		fprintf(stderr, "usage: rdma_link add NAME TYPE NETDEV | del NAME | netns exclusive|shared\n");
		return 2;
	}
	if (fd >= 0)
		close(fd);
	if (err)
		fprintf(stderr, "rdma_link: %s %s: %s\n", argv[1], argv[2], strerror(-err));
	return err ? 1 : 0;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The resource manager: objects that are allocated, controlled and freed by
 * handle. Success of the system call says nothing: the status word does, as in
 * the real driver. Offsets are those of its public structs.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "nv.h"

#define ESC_FREE 0x29
#define ESC_CONTROL 0x2a
#define ESC_ALLOC 0x2b
#define ESC_MAP_MEMORY 0x4e

struct nv_object {
	u32 class;
	u64 bytes;
};

struct nvos00 { u32 hRoot, hParent, hOld, status; };
struct nvos54 { u32 hClient, hObject, cmd, flags; u64 params; u32 size, status; };
struct nvos33_fd {
	u32 hClient, hDevice, hMemory, pad;
	u64 offset, length, address;
	u32 status, flags, fd, pad2;
};
struct nvos21 { u32 hRoot, hParent, hNew, hClass; u64 parms; u32 size, status; };
struct nvos64 {
	u32 hRoot, hParent, hNew, hClass;
	u64 parms, rights;
	u32 size, flags, status, pad;
};

/* NV01_MEMORY_SYSTEM, _LOCAL_USER, _VIRTUAL: the size stands in their parameters. */
static bool is_memory(u32 class)
{
	return class == 0x3e || class == 0x40 || class == 0x70;
}

static u32 charge(u32 class, u64 pAllocParms, u64 *ret_bytes)
{
	u64 bytes = 0, limit = (u64)nv_memory_mib << 20;

	if (is_memory(class) && pAllocParms &&
	    copy_from_user(&bytes, u64_to_user_ptr(pAllocParms + 64), sizeof(bytes)))
		return NV_ERR_INVALID_ARGUMENT;
	if (bytes > limit || (u64)atomic64_add_return(bytes, &nv.bytes) > limit) {
		if (bytes <= limit)
			atomic64_sub(bytes, &nv.bytes);
		return NV_ERR_NO_MEMORY;
	}
	*ret_bytes = bytes;
	return NV_OK;
}

NV_FN u32 rmapiAllocWithSecInfo(struct nv_file *nvfp, u32 hParent, u32 *phObject, u32 hClass,
				u64 pAllocParms)
{
	struct nv_object *o;
	u64 bytes = 0;
	u32 status;

	COUNT(rmapiAllocWithSecInfo);
	status = charge(hClass, pAllocParms, &bytes);
	if (status)
		return status;
	o = kzalloc(sizeof(*o), GFP_KERNEL);
	if (!o)
		goto no_memory;
	o->class = hClass;
	o->bytes = bytes;
	if (!*phObject)
		*phObject = 0xcaf00000u + (u32)atomic_inc_return(&nvfp->next_handle);
	if (xa_insert(&nvfp->objects, *phObject, o, GFP_KERNEL))
		goto no_memory;
	return NV_OK;
no_memory:
	kfree(o);
	atomic64_sub(bytes, &nv.bytes);
	return NV_ERR_NO_MEMORY;
}

NV_FN u32 rmapiFreeWithSecInfo(struct nv_file *nvfp, u32 hObject)
{
	struct nv_object *o = xa_erase(&nvfp->objects, hObject);

	COUNT(rmapiFreeWithSecInfo);
	if (!o)
		return NV_ERR_INVALID_OBJECT_HANDLE;
	atomic64_sub(o->bytes, &nv.bytes);
	kfree(o);
	return NV_OK;
}

void nv_forget_objects(struct nv_file *nvfp)
{
	struct nv_object *o;
	unsigned long handle;

	xa_for_each(&nvfp->objects, handle, o) {
		atomic64_sub(o->bytes, &nv.bytes);
		kfree(o);
	}
	xa_destroy(&nvfp->objects);
}

NV_FN u32 rmapiControlWithSecInfo(struct nv_file *nvfp, u32 hObject, u32 cmd, u64 pParams, u32 paramsSize)
{
	u64 value = 0;

	COUNT(rmapiControlWithSecInfo);
	if (!xa_load(&nvfp->objects, hObject))
		return NV_ERR_INVALID_OBJECT_HANDLE;
	if (pParams && paramsSize >= 8 && copy_from_user(&value, u64_to_user_ptr(pParams), 8))
		return NV_ERR_INVALID_ARGUMENT;
	switch (cmd) {
	case 0xa06f0103:
		return kchannelCtrlCmdGpFifoSchedule_IMPL(hObject, pParams);
	case 0xa06c0101:
		return kchangrpapiCtrlCmdGpFifoSchedule_IMPL(hObject, pParams);
	case 0xa06c0103:
		return kchangrpapiCtrlCmdSetTimeslice_IMPL(hObject, value);
	case 0xa06c0105:
		return kchangrpapiCtrlCmdPreempt_IMPL(hObject, pParams);
	default:
		return NV_OK;
	}
}

/* More arguments than registers. */
NV_FN u32 rm_create_mmap_context(struct nv_state *state, u32 hClient, u32 hDevice, u32 hMemory,
				 u64 address, u64 length, u64 offset, u32 fd)
{
	COUNT(rm_create_mmap_context);
	return length ? NV_OK : NV_ERR_INVALID_ARGUMENT;
}

static u32 *alloc(struct nv_file *nvfp, void *data, u32 size)
{
	struct nvos21 *p = data;
	struct nvos64 *long_p = data;
	u32 *status = size == sizeof(*p) ? &p->status : &long_p->status;

	*status = rmapiAllocWithSecInfo(nvfp, p->hParent, &p->hNew, p->hClass, p->parms);
	return status;
}

/* What the call is about, and where its status stands. */
static u32 *status_of(u32 nr, void *data, u32 size, u32 *ret_object)
{
	if (nr == ESC_ALLOC && (size == sizeof(struct nvos21) || size == sizeof(struct nvos64))) {
		*ret_object = ((struct nvos21 *)data)->hClass;
		return size == sizeof(struct nvos21) ? &((struct nvos21 *)data)->status :
						       &((struct nvos64 *)data)->status;
	}
	if (nr == ESC_CONTROL && size == sizeof(struct nvos54)) {
		*ret_object = ((struct nvos54 *)data)->cmd;
		return &((struct nvos54 *)data)->status;
	}
	if (nr == ESC_FREE && size == sizeof(struct nvos00))
		return &((struct nvos00 *)data)->status;
	if (nr == ESC_MAP_MEMORY && size == sizeof(struct nvos33_fd))
		return &((struct nvos33_fd *)data)->status;
	return NULL;
}

NV_FN long rm_ioctl(struct nv_state *state, struct nv_file *nvfp, u32 nr, void *data, u32 size)
{
	struct nvos33_fd *map = data;
	struct nvos54 *control = data;
	u32 object = 0, *status;
	long err = 0;

	COUNT(rm_ioctl);
	status = status_of(nr, data, size, &object);
	nv_sleep(nv_latency_us);
	if (!status)
		return -EINVAL;
	if (nv_fails(nr, object, &err, status))
		return err;
	switch (nr) {
	case ESC_ALLOC:
		alloc(nvfp, data, size);
		break;
	case ESC_CONTROL:
		*status = rmapiControlWithSecInfo(nvfp, control->hObject, control->cmd,
						  control->params, control->size);
		break;
	case ESC_FREE:
		*status = rmapiFreeWithSecInfo(nvfp, ((struct nvos00 *)data)->hOld);
		break;
	default:
		*status = rm_create_mmap_context(state, map->hClient, map->hDevice, map->hMemory,
						 map->address, map->length, map->offset, map->fd);
	}
	return 0;
}

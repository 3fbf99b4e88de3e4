/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * base/demangle/demangle.h: what mangled names of kernels become, in full and short;
 * names that are cut, wrong, or made to take for ever.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "base/demangle/demangle.h"

static struct xpt_strbuf full, brief;

static int setup(void **state)
{
	(void)state;
	xpt_strbuf__init(&full, 1 << 16);
	xpt_strbuf__init(&brief, 1 << 16);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	xpt_strbuf__free(&full);
	xpt_strbuf__free(&brief);
	return 0;
}

static void expect(const char *mangled, const char *want, const char *want_short)
{
	xpt_strbuf__reset(&full);
	xpt_strbuf__reset(&brief);
	assert_int_equal(xpt_demangle(mangled, &full), want != NULL);
	assert_string_equal(xpt_strbuf__str(&full), want ? want : "");
	if (!want)
		return;
	xpt_demangle_short(want, &brief);
	assert_string_equal(xpt_strbuf__str(&brief), want_short);
}

static void test_kernels(void **state)
{
	(void)state;
	expect("_Z6vecaddPfPKfS1_i", "vecadd(float*, float const*, float const*, int)", "vecadd");
	expect("_Z4gemmIfLi128EEvPT_i", "void gemm<float, 128>(float*, int)", "gemm");
	expect("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_",
	       "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
	       "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)",
	       "at::native::vectorized_elementwise_kernel");
	expect("_ZN54_GLOBAL__N__f9a1_4_k_cu_55fc50fd_plain_and_some_more_x4anonEi",
	       "(anonymous namespace)::anon(int)", "(anonymous namespace)::anon");
	expect("_ZN1a4gemmIfLi4EJidEEEvNS_1FIT_XT0_EEEDpT1_",
	       "void a::gemm<float, 4, int, double>(a::F<float, 4>, int, double)", "a::gemm");
	expect("_ZN3foo3barIJiffEEEvDpRKT_",
	       "void foo::bar<int, float, float>(int const&, float const&, float const&)",
	       "foo::bar");
	expect("_Z3barIJEEvDpT_", "void bar<>()", "bar");
	expect("_Z3runIZ4mainEUlvE_EvT_", "void run<main::{lambda()#1}>(main::{lambda()#1})", "run");
	expect("_ZZ4mainENKUlifE_clEif", "main::{lambda(int, float)#1}::operator()(int, float) const",
	       "main::{lambda#1}::operator()");
	expect("_Z1fIXadL_Z1gvEELb1ELin5EEvv", "void f<&g(), true, -5>()", "f");
	expect("_Z1fILN1n1eE2EEvv", "void f<(n::e)2>()", "f");
}

static void test_types(void **state)
{
	(void)state;
	expect("_Z1fPFviE", "f(void (*)(int))", "f");
	expect("_Z1fPPFviERA3_KiPA2_A3_f", "f(void (**)(int), int const (&) [3], float (*) [2][3])", "f");
	expect("_Z1fM1AFviEMS_i", "f(void (A::*)(int), int A::*)", "f");
	expect("_Z1fOiRVKd", "f(int&&, double const volatile&)", "f");
	expect("_Z1fIRiEvOT_", "void f<int&>(int&)", "f");
	expect("_Z1fDv4_fDnDF16_", "f(float __vector(4), decltype(nullptr), _Float16)", "f");
	expect("_Z8functionIiEPFivET_", "int (*function<int>(int))()",
	       "int (*function<int>(int))()");
	expect("_ZN1AC2ERKS_", "A::A(A const&)", "A::A");
	expect("_ZN1AIiED1Ev", "A<int>::~A()", "A::~A");
	expect("_ZN1AcviEv", "A::operator int()", "A::operator int");
	expect("_ZN9__gnu_cxxltIiEEbT_S1_", "bool __gnu_cxx::operator< <int>(int, int)",
	       "__gnu_cxx::operator<");
	expect("_ZN1AoRERKS_", "A::operator|=(A const&)", "A::operator|=");
	expect("_Z1fi.constprop.0", "f(int) [clone .constprop.0]", "f");
}

/* Cut where the capture ends, or too odd: the leading part, marked. */
static void test_leading_part(void **state)
{
	(void)state;
	expect("_ZN7cutlass7Kernel2IN4cute", "cutlass::Kernel2<...>", "cutlass::Kernel2");
	expect("_ZN7cutlass7Ker", "cutlass::Ker(...)", "cutlass::Ker");
	expect("_ZNSt6vectorIi", "std::vector<...>", "std::vector");
	expect("_Z1fIXnwE", "f<...>", "f");
}

static void test_no_mangled_name(void **state)
{
	(void)state;
	expect("", NULL, NULL);
	expect("vecadd", NULL, NULL);
	expect("ampere_sgemm_128x64_nn", NULL, NULL);
	expect("_Z", NULL, NULL);
	expect("_Zebra", NULL, NULL);
	expect("_ZNSt", NULL, NULL);
	expect("_Z99999999999999999999f", "f(...)", "f");
}

/* Each kind of name that is known to keep other demanglers busy for ever. */
static void test_hostile(void **state)
{
	char name[1100];
	size_t n;

	(void)state;
	n = (size_t)snprintf(name, sizeof(name), "_Z1fDp");
	for (int i = 0; i < 300; i++)	/* doubles with each reference */
		n += (size_t)snprintf(name + n, sizeof(name) - n, "Fv");
	n += (size_t)snprintf(name + n, sizeof(name) - n, "1A");
	for (int i = 0; n < 1000; i++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, i ? "S%d_E" : "S_E", i % 10);
	expect(name, "f(...)", "f");
	expect("_Z1fDTsri1xEDpi", "f(decltype (int::x), int...)", "f");
	memcpy(name, "_ZcvT_", 6);
	for (n = 6; n < 1000; n += 3)
		memcpy(name + n, "IT_", 4);
	expect(name, NULL, NULL);
	for (const char *c = "PNIFJXZDS"; *c; c++) {
		memset(name, *c, 1020);
		memcpy(name, "_Z1f", 4);
		name[1020] = '\0';
		expect(name, *c == 'I' ? "f<...>" : "f(...)", "f");
	}
}

static void test_short_of_anything(void **state)
{
	static const char *const odd[][2] = {
		{ "<<<", "<<<" }, { "(((", "(((" }, { "f(", "f" }, { "f<int", "f" }, { "{{", "{{" },
		{ "a b c", "c" }, { "operator", "operator" }, { "operator()", "operator()" },
		{ " ", " " }, { "", "" }, { "f(int)::g(char)", "f::g" },
		{ "decltype (a>b) f<(a>b)>(int)", "f" }, { "unsigned long f()", "f" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		xpt_strbuf__reset(&brief);
		xpt_demangle_short(odd[i][0], &brief);
		assert_string_equal(xpt_strbuf__str(&brief), odd[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels), cmocka_unit_test(test_types),
		cmocka_unit_test(test_leading_part), cmocka_unit_test(test_no_mangled_name),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_short_of_anything),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

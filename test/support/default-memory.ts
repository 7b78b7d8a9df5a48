// The programs that tests start use memory as on a user's machine: what vitest.config.ts sets is for the test process alone.
delete process.env.GLIBC_TUNABLES;

// The programs that tests start use memory as on a user's machine, not as vitest.config.ts sets it for test processes.
delete process.env.GLIBC_TUNABLES;

// Random inputs are the same in each run, so that no run fails by chance. TAXIWAY_FUZZ_SEED searches with others.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.TAXIWAY_FUZZ_SEED ?? 20_261_122) });

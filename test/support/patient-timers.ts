/**
 * Loaded into somebody else's test suite, whose limits are those of a machine that has nothing else to do. Here a limit only ends
 * what would never end.
 */
const PATIENCE = 20

const { setTimeout: original } = globalThis
const patient = (run: () => void, ms = 0) => original(run, ms * PATIENCE)
globalThis.setTimeout = Object.assign(patient, original)

export {}

/**
 * Loaded into third-party test suites, whose time limits assume an idle machine. Extends every timer, so that a limit only ends a test
 * that hangs.
 */
const PATIENCE = 20

const { setTimeout: original } = globalThis
const patient = (run: () => void, ms = 0) => original(run, ms * PATIENCE)
globalThis.setTimeout = Object.assign(patient, original)

export {}

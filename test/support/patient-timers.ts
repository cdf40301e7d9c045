/**
 * Loaded into third-party test suites, whose time limits assume an idle machine. Extends every timer, so that a limit only ends a test
 * that hangs.
 */
const TIMER_FACTOR = 20

const { setTimeout: original } = globalThis
const patient = (run: () => void, ms = 0) => original(run, ms * TIMER_FACTOR)
globalThis.setTimeout = Object.assign(patient, original)

export {}

import { type DirectoryStep, DIRECTORY_STEPS } from './spec.ts'
import type { StepName } from './step-failed.ts'

/**
 * Log of the steps of one call to a directory. The duration of a step starts at the end of the previous step. Connecting and sending cannot
 * be measured separately, so the first request counts as `connect`.
 */
export interface StepLog {
  readonly list: DirectoryStep[]
  /** Marks a step as passed when it passes for the first time. Repeated steps, such as for further pages, are not logged again. */
  pass: (name: StepName, detail: string) => void
  fail: (name: StepName, detail: string) => void
}

export function startStepLog(): StepLog {
  const list: DirectoryStep[] = []
  let since = performance.now()
  const passed = (name: StepName) => list.some((step) => step.name === name)
  const note = (name: StepName, ok: boolean, detail: string) => {
    const now = performance.now()
    list.push({ name, ok, ms: Math.round(now - since), detail })
    since = now
  }
  return {
    list,
    pass: (name, detail) => {
      if (!passed(name)) note(name, true, detail)
    },
    // A failure after a step has passed, such as a broken network connection, is logged at the next step that has not passed.
    fail: (name, detail) =>
      note(DIRECTORY_STEPS.slice(DIRECTORY_STEPS.indexOf(name)).find((one) => !passed(one)) ?? 'parse', false, detail),
  }
}

import { type DirectoryCallStep, DIRECTORY_CALL_STEPS } from './spec.ts'
import type { DirectoryStepName } from './step-failed.ts'

/**
 * Log of the steps of one call to a directory. The duration of a step starts at the end of the previous step. Connecting and sending cannot
 * be measured separately, so the first request counts as `connect`.
 */
export interface DirectoryStepLog {
  readonly list: DirectoryCallStep[]
  /** Marks a step as passed when it passes for the first time. Repeated steps, such as for further pages, are not logged again. */
  pass: (name: DirectoryStepName, detail: string) => void
  fail: (name: DirectoryStepName, detail: string) => void
}

export function startDirectoryStepLog(): DirectoryStepLog {
  const list: DirectoryCallStep[] = []
  let since = performance.now()
  const passed = (name: DirectoryStepName) => list.some((step) => step.name === name)
  const note = (name: DirectoryStepName, ok: boolean, detail: string) => {
    const now = performance.now()
    list.push({ name, ok, ms: Math.round(now - since), detail })
    since = now
  }
  return {
    list,
    pass: (name, detail) => {
      if (!passed(name)) note(name, true, detail)
    },
    // If a step fails that has already passed, such as the connection for a second page, the failure is logged for the next step.
    fail: (name, detail) =>
      note(DIRECTORY_CALL_STEPS.slice(DIRECTORY_CALL_STEPS.indexOf(name)).find((one) => !passed(one)) ?? 'parse', false, detail),
  }
}

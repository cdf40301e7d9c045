import { type DirectoryStep, STEPS } from './spec.ts'
import type { StepName } from './step-failed.ts'

/**
 * What happened, step by step. A step's time runs from the one before it: the network does not tell where connecting ends and asking
 * begins, so the first exchange counts for `connect`.
 */
export interface Steps {
  readonly list: DirectoryStep[]
  /** A step passes once; further pages and retries change nothing of it. */
  pass: (name: StepName, detail: string) => void
  fail: (name: StepName, detail: string) => void
}

export function startSteps(): Steps {
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
    // What passed cannot fail any more: a connection that breaks later fails the step that was under way.
    fail: (name, detail) => note(STEPS.slice(STEPS.indexOf(name)).find((one) => !passed(one)) ?? 'parse', false, detail),
  }
}

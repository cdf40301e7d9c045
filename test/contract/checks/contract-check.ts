import type { Tool } from '../../../src/kernel/tool.ts'
import type { World } from '../../support/world.ts'
import type { runAllExamples } from '../example-runs.ts'
import type { Stage } from '../stage.ts'

/** The tools of one toolset, and the test world (database and services) in which they are checked. */
export interface ContractContext {
  tools: readonly Tool[]
  world: () => World
  /** Creates a stage (client with events and test data). Every check creates its own, so that checks do not affect each other. */
  newStage: (options?: { tenant?: string; word?: string }) => Promise<Stage>
  /** The results of all example calls, made once by the first check that needs them. */
  performed: () => ReturnType<typeof runAllExamples>
}

/** One part of the contract: registers its tests for the tools of a toolset. */
export type ContractCheck = (scene: ContractContext) => void

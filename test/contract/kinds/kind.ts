import type { Tool } from '../../../src/kernel/tool.ts'
import type { World } from '../../support/world.ts'
import type { performAll } from '../performed.ts'
import type { Stage } from '../stage.ts'

/** Where a list of tools is held to a part of the contract. */
export interface Scene {
  tools: readonly Tool[]
  world: () => World
  /** A new one each time: no kind meets what another left behind. */
  newStage: (options?: { tenant?: string; word?: string }) => Promise<Stage>
  /** Made by the first kind that asks, for all that look at the same calls. */
  performed: () => ReturnType<typeof performAll>
}

/** One part of the contract, as the tests that a list of tools is put through. */
export type Kind = (scene: Scene) => void

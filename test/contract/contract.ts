import { afterAll, beforeAll, describe } from 'vitest'
import { toolset } from '../../src/kernel/tool.ts'
import { newWorld, type World } from '../support/world.ts'
import { args } from './kinds/arguments.ts'
import { effects } from './kinds/effects.ts'
import { examples } from './kinds/examples.ts'
import { isolation } from './kinds/isolation.ts'
import { ownThings } from './kinds/own-things.ts'
import type { Kind, Scene } from './kinds/kind.ts'
import { output } from './kinds/output.ts'
import { paging } from './kinds/paging.ts'
import { roles } from './kinds/roles.ts'
import { telling } from './kinds/telling.ts'
import { performAll } from './performed.ts'
import { LISTS, ORGANIZER_TOOLS } from './registry.ts'
import { stageAt } from './stage.ts'

/** What holds whoever calls. */
export const EVERYBODY: readonly Kind[] = [examples, effects, output, paging, args]

/** Participants have what is theirs at one event. */
export const PARTICIPANTS: readonly Kind[] = [...EVERYBODY, ownThings, telling]

/** Organizers have roles, and places that are theirs and not. */
export const ORGANIZERS: readonly Kind[] = [...EVERYBODY, roles, isolation, telling]

/** What these refuse was never asked of a database, and what they look at in an answer is the same whichever gave it. */
const BESIDE_THE_DATABASE: readonly Kind[] = [args, roles, examples, output]
const onPostgres = process.env['TEST_DATABASE_URL'] !== undefined

/** Holds the tools of one list to the contract, in a world of their own: what a tool costs does not grow with how many there are. */
export function contractOf(list: string, kinds: readonly Kind[] = ORGANIZERS): void {
  const tools = LISTS.get(list)!
  describe.skipIf(tools.length === 0)(`the tools of ${list}`, () => {
    let world: World
    let stages = 0
    beforeAll(async () => {
      world = await newWorld({ toolsets: [toolset('all', ORGANIZER_TOOLS)] })
    })
    afterAll(() => world.end())

    const newStage = async ({ tenant = 'demo', word = 'wallaby' } = {}) => {
      const stage = await stageAt(world, { tenant, word })
      // As a server does by itself whenever there is about twice as much; without it the longest statements are planned anew by every call.
      if (onPostgres && Number.isInteger(Math.log2(++stages))) await world.database.pool.query('analyze')
      return stage
    }
    let performing: ReturnType<typeof performAll> | undefined
    const scene: Scene = {
      tools,
      world: () => world,
      newStage,
      performed: () => (performing ??= newStage().then((stage) => performAll(stage, tools))),
    }
    for (const kind of kinds) if (!onPostgres || !BESIDE_THE_DATABASE.includes(kind)) kind(scene)
  })
}

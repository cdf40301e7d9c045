import { createUser, setStaffRole } from '../../../src/domains/access/users.ts'
import { storeInstructions, storeMemory } from '../../support/memories.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })

/** Builds a unique email address from a unique text: email addresses must be unique across tenants. */
const address = (stage: Stage) => `${stage.text().replaceAll(' ', '-')}@staff.example`

/** Adds a user who is staff at the stage's event and has no role at its client. */
async function staffAt(stage: Stage): Promise<{ userId: string; email: string }> {
  const { tenantId, eventId } = stage.home
  const email = address(stage)
  const userId = await createUser(stage.world.database.write, { tenantId, email, name: stage.text() })
  await setStaffRole(stage.world.database.write, { tenantId, userId, eventId, role: 'registrar', note: stage.text() })
  return { userId, email }
}

async function memoryAt(stage: Stage): Promise<string> {
  return storeMemory(stage.world, { at: stage.home, by: stage.admin, title: stage.text(), text: stage.text(), tags: [stage.word] })
}

async function threeMemories(stage: Stage): Promise<string[]> {
  return [await memoryAt(stage), await memoryAt(stage), await memoryAt(stage)]
}

export const PEOPLE_EXAMPLES: Examples = {
  // The role filter excludes the caller, whose last-seen time changes with every minute of calls.
  list_event_staff: async (stage) => {
    for (let i = 0; i < 3; i++) await staffAt(stage)
    return { ...event(stage), role: 'registrar' }
  },
  assign_event_staff: [
    (stage) => ({ ...event(stage), email: address(stage), name: stage.text(), role: 'registrar', note: stage.text() }),
    async (stage) => ({ ...event(stage), email: (await staffAt(stage)).email, role: 'onsite', sendInvite: false }),
  ],
  remove_event_staff: [
    async (stage) => ({ ...event(stage), userId: (await staffAt(stage)).userId }),
    async (stage) => ({ ...event(stage), email: (await staffAt(stage)).email }),
  ],
  search_memories: async (stage) => {
    await threeMemories(stage)
    return { ...event(stage), query: stage.word, scope: 'all', tags: [stage.word] }
  },
  retrieve_memories: [
    async (stage) => ({ ...event(stage), ids: await threeMemories(stage) }),
    async (stage) => {
      await threeMemories(stage)
      return { ...event(stage), scope: 'event', tags: [stage.word], since: '2020-01-01T00:00:00.000Z', pinnedOnly: false }
    },
  ],
  get_custom_instructions: async (stage) => {
    const { eventId: _eventId, eventCode: _eventCode, ...client } = stage.home
    await storeInstructions(stage.world, { at: client, by: stage.admin, text: stage.text() })
    await storeInstructions(stage.world, { at: stage.home, by: stage.admin, text: stage.text() })
    return event(stage)
  },
}

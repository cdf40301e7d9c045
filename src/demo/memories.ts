import { addCustomInstructions, createAssistantMemory } from '../domains/memories/create.ts'
import type { DemoTeamMember, DemoSeedContext } from './stage.ts'

/** Notes that the team's assistants have saved. */
export async function seedAssistantMemories(
  { db, tenantId, clientId }: DemoSeedContext,
  { userId }: DemoTeamMember,
  eventId: string,
): Promise<void> {
  const summit = { tenantId, clientId, userId, eventId }
  const client = { ...summit, eventId: null }
  await createAssistantMemory(db, client, {
    title: 'Badges show the first name large',
    text: 'Participants asked for it after 2026: first name in the largest type, then surname and company.',
    tags: ['badges'],
  })
  await createAssistantMemory(db, summit, {
    title: 'Parking is at gate C',
    text: 'Gate C opens at 6:30. Exhibitors unload at gate F until 9:00 and then move to C.',
    tags: ['venue', 'parking'],
    pinned: true,
  })
  await createAssistantMemory(db, summit, {
    title: 'The keynote speaker needs a quiet room',
    text: 'Room 2.14 is kept free from 8:00 until the keynote ends.',
    tags: ['speakers'],
  })
  await addCustomInstructions(
    db,
    client,
    'Write to participants in plain, friendly English. Ask before anything is sent to more than ten people.',
  )
}

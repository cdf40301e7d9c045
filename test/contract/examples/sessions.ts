import { programSections } from '../../support/programs.ts'
import { SAMPLE_FILES } from '../../support/samples.ts'
import { createUploadFixtures } from '../../support/uploads.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { storeSheetFile } from './imports.ts'
import { event, openSales, registerNewParticipant } from './registration.ts'

let made = 0
const prepared = new WeakMap<Stage, Promise<void>>()

/** Publishes tracks, formats, rooms and a review rubric at the stage's event, once. */
function prepare(stage: Stage): Promise<void> {
  let preparing = prepared.get(stage)
  if (!preparing) prepared.set(stage, (preparing = publishProgram(stage)))
  return preparing
}

async function publishProgram(stage: Stage): Promise<void> {
  await openSales(stage)
  const reviewRubric = [{ code: 'content', name: 'Content', weight: 1, max: 5 }]
  await stage.admin.call('configure_event', { ...event(stage), sections: { sessions: { ...programSections().sessions, reviewRubric } } })
  await stage.admin.call('publish_event', { ...event(stage), acceptWarnings: true })
}

async function speaker(stage: Stage): Promise<string> {
  await prepare(stage)
  const given = { firstName: 'Ada', lastName: stage.text(), email: `speaker${++made}@${stage.word}.example`, bio: stage.text() }
  return (await stage.admin.call('manage_speaker', { ...event(stage), action: 'create', ...given })).speaker.id
}

async function photo({ world, home: { clientId, eventId, ...home } }: Stage): Promise<string> {
  return (await createUploadFixtures(world, home).file(SAMPLE_FILES.png, { name: 'photo.png' }, { clientId, eventId })).id
}

async function submission(stage: Stage, status = 'submitted', speakerId?: string): Promise<string> {
  const speakers = [{ speakerId: speakerId ?? (await speaker(stage)) }]
  const given = { title: stage.text(), abstract: stage.text(), trackCode: 'build', formatCode: 'talk', status, speakers }
  return (await stage.admin.call('manage_submission', { ...event(stage), action: 'create', ...given })).submission.number
}

async function decided(stage: Stage): Promise<string> {
  const number = await submission(stage)
  const decisions = [{ number, decision: 'accepted' }]
  await stage.admin.call('manage_submission', { ...event(stage), action: 'decide', decisions, force: true })
  return number
}

async function accepted(stage: Stage): Promise<string> {
  const number = await decided(stage)
  await stage.admin.call('manage_submission', { ...event(stage), action: 'inform', numbers: [number] })
  return number
}

let scheduledMinutes = 0
/** A minute on the first day of the stage's event that no other example uses. */
function nextSlot() {
  const startsAt = Date.UTC(2027, 4, 11, 1) + 60_000 * ++scheduledMinutes
  return { startsAt: new Date(startsAt).toISOString(), endsAt: new Date(startsAt + 60_000).toISOString() }
}

async function scheduled(stage: Stage): Promise<string> {
  const number = await submission(stage, 'accepted')
  await stage.admin.call('manage_submission', { ...event(stage), action: 'schedule', number, ...nextSlot(), roomCode: 'attic' })
  return number
}

export const SESSIONS_EXAMPLES: Examples = {
  list_speakers: async (stage) => {
    for (let i = 0; i < 3; i++) await speaker(stage)
    return { ...event(stage), missing: ['headshot'] }
  },
  manage_speaker: [
    async (stage) => ({ ...event(stage), action: 'get', speakerId: await speaker(stage) }),
    async (stage) => {
      await prepare(stage)
      return {
        ...event(stage),
        action: 'create',
        firstName: 'Ada',
        lastName: stage.text(),
        email: `speaker${++made}@${stage.word}.example`,
      }
    },
    async (stage) => ({ ...event(stage), action: 'update', speakerId: await speaker(stage), headshotFileId: await photo(stage) }),
    async (stage) => ({ ...event(stage), action: 'invite', speakerIds: [await speaker(stage)] }),
    async (stage) => ({ ...event(stage), action: 'set_status', speakerId: await speaker(stage), status: 'confirmed' }),
    async (stage) => ({
      ...event(stage),
      action: 'link_participant',
      speakerId: await speaker(stage),
      participantId: (await registerNewParticipant(stage)).participant.id,
    }),
    async (stage) => ({ ...event(stage), action: 'merge', keepId: await speaker(stage), dropId: await speaker(stage) }),
    async (stage) => ({ ...event(stage), action: 'delete', speakerId: await speaker(stage) }),
  ],
  import_speakers: [
    async (stage) => {
      await prepare(stage)
      return {
        ...event(stage),
        fileId: await storeSheetFile(stage, `First name,Last name,Email\nAda,${stage.text()},i${++made}@${stage.word}.example\n`),
      }
    },
    async (stage) => {
      await prepare(stage)
      return { ...event(stage), rows: [{ firstName: 'Ada', lastName: stage.text(), email: `i${++made}@${stage.word}.example` }] }
    },
  ],
  list_submissions: [
    async (stage) => {
      for (let i = 0; i < 3; i++) await submission(stage)
      return { ...event(stage), status: ['submitted'], sort: 'score' }
    },
    async (stage) => {
      const speakerId = await speaker(stage)
      for (let i = 0; i < 3; i++) await submission(stage, 'submitted', speakerId)
      return { ...event(stage), speakerId }
    },
  ],
  get_submission: async (stage) => ({ ...event(stage), number: await submission(stage), include: ['reviews', 'similar'] }),
  manage_submission: [
    async (stage) => {
      const speakers = [{ speakerId: await speaker(stage), role: 'panelist' }]
      return { ...event(stage), action: 'create', title: stage.text(), trackCode: 'build', formatCode: 'talk', speakers }
    },
    async (stage) => ({ ...event(stage), action: 'update', number: await submission(stage), title: stage.text() }),
    async (stage) => ({ ...event(stage), action: 'submit', number: await submission(stage, 'draft') }),
    async (stage) => ({ ...event(stage), action: 'withdraw', number: await submission(stage) }),
    async (stage) => ({
      ...event(stage),
      action: 'assign_reviewers',
      numbers: [await submission(stage)],
      reviewerIds: [(await stage.world.organizer({ staffOf: stage.home, staffRole: 'program' })).userId],
      perSubmission: 1,
    }),
    async (stage) => ({ ...event(stage), action: 'review', number: await submission(stage), recused: true, noteToCommittee: stage.text() }),
    async (stage) => ({
      ...event(stage),
      action: 'decide',
      decisions: [{ number: await submission(stage), decision: 'backup' }],
      force: true,
    }),
    async (stage) => ({ ...event(stage), action: 'inform', numbers: [await decided(stage)] }),
    async (stage) => ({ ...event(stage), action: 'confirm', number: await accepted(stage) }),
    async (stage) => ({ ...event(stage), action: 'decline', number: await accepted(stage) }),
    async (stage) => ({
      ...event(stage),
      action: 'schedule',
      number: await submission(stage, 'accepted'),
      ...nextSlot(),
      roomCode: 'hall',
    }),
    async (stage) => ({ ...event(stage), action: 'unschedule', number: await scheduled(stage) }),
    async (stage) => ({ ...event(stage), action: 'merge', keep: await submission(stage), drop: await submission(stage) }),
    async (stage) => ({ ...event(stage), action: 'cancel', number: await scheduled(stage), reason: 'The speaker is ill' }),
  ],
}

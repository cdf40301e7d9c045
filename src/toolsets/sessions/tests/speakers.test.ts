import { describe, expect, it } from 'vitest'
import { createSessionAt, programSections } from '../../../../test/support/programs.ts'
import { newAttendee, useSalesScenario } from '../../../../test/support/sales-scenario.ts'

const base = programSections()
const scenario = useSalesScenario({
  ...base,
  flows: [...base.flows, { ...base.flows[0]!, slug: 'speakers', name: 'Speakers', kind: 'speaker' }],
})

let made = 0
const manage = (action: string, more: object = {}) => scenario.call('manage_speaker', { action, ...more })
const refused = (action: string, more: object = {}) => scenario.refused('manage_speaker', { action, ...more })
const create = async (more: object = {}): Promise<string> =>
  (await manage('create', { firstName: 'Nora', lastName: `Speaker${++made}`, email: `nora.${made}@example.org`, ...more })).speaker.id
const submit = async (...speakerIds: string[]): Promise<string> => {
  const speakers = speakerIds.map((speakerId) => ({ speakerId }))
  const fields = { title: `Talk ${++made}`, trackCode: 'build', formatCode: 'talk', status: 'submitted', speakers }
  return (await scenario.call('manage_submission', { action: 'create', ...fields })).submission.number
}
const countInvitations = () => scenario.queryNumber(`select count(*)::int as figure from messages where email_code = 'speaker.invited'`)

describe('list_speakers', () => {
  it('counts speakers by status and finds speakers without a photo', async () => {
    const ids = []
    for (let i = 0; i < 5; i++) ids.push(await create({ lastName: `Listed${i}`, bio: 'Has a bio' }))
    await scenario.world.database.pool.query(
      `update speakers set headshot_file_id = id where last_name like 'Listed%' and last_name <> 'Listed3'`,
    )
    for (const speakerId of ids.slice(0, 2)) await manage('set_status', { speakerId, status: 'confirmed' })
    await createSessionAt(scenario.world, scenario.event, { title: 'Opening', trackCode: 'run', speakers: [{ speakerId: ids[0]! }] })
    const search = 'Listed'
    expect(await scenario.call('list_speakers', { search })).toMatchObject({ counts: { confirmed: 2, prospect: 3 }, total: 5 })
    const missing = await scenario.call('list_speakers', { search, missing: ['headshot'] })
    expect(missing).toMatchObject({ total: 1, speakers: [{ id: ids[3], missing: ['headshot', 'disclosure', 'confirmation'] }] })
    expect(await scenario.call('list_speakers', { search, missing: ['headshot', 'confirmation'] })).toMatchObject({ total: 3 })
    expect(await scenario.call('list_speakers', { search, hasSession: true })).toMatchObject({
      speakers: [{ id: ids[0], sessions: [{ title: 'Opening', role: 'speaker' }] }],
    })
    expect(await scenario.call('list_speakers', { search, trackCode: 'run' })).toMatchObject({ total: 1 })
    expect(await scenario.call('list_speakers', { search, trackCode: 'build' })).toMatchObject({ total: 0 })
    expect((await scenario.refused('list_speakers', { trackCode: 'no' })).message).toContain('trackCode')
  })
})

describe('manage_speaker', () => {
  it('shows the answers of a speaker only to users who may read personal data', async () => {
    const speakerId = await create()
    await scenario.world.database.pool.query(`update speakers set answers = '{"diet": "vegan"}' where id = $1`, [speakerId])
    expect((await manage('get', { speakerId })).speaker.answers).toEqual({ diet: 'vegan' })
    const programmer = await scenario.world.organizer({ role: 'program', at: scenario.event })
    const { speaker } = await programmer.call('manage_speaker', { eventCode: scenario.event.eventCode, action: 'get', speakerId })
    expect([speaker.id, 'answers' in speaker]).toEqual([speakerId, false])
  })

  it('edits a speaker, and refuses an email address that another speaker has', async () => {
    const speakerId = await create({ email: 'Taken@example.org', links: ['https://example.org/me'] })
    expect((await refused('create', { firstName: 'A', lastName: 'B', email: 'taken@EXAMPLE.org' })).message).toContain(speakerId)
    const edited = await manage('update', { speakerId, bio: 'Founder', company: 'Gauge', ifRevision: 1 })
    expect(edited).toMatchObject({
      changed: ['company', 'bio'],
      speaker: { bio: 'Founder', revision: 2, links: ['https://example.org/me'] },
    })
    expect((await refused('update', { speakerId, bio: 'Late', ifRevision: 1 })).code).toBe('conflict')
    expect((await manage('update', { speakerId, clear: ['bio'] })).speaker).not.toHaveProperty('bio')
    const other = await create()
    expect((await refused('update', { speakerId: other, email: 'taken@example.org' })).code).toBe('conflict')
    expect((await manage('get', { email: 'TAKEN@example.org' })).speaker.id).toBe(speakerId)
    const wrong = { from: '2026-09-02T10:00:00.000Z', until: '2026-09-01T10:00:00.000Z' }
    expect((await refused('update', { speakerId, availability: [wrong] })).message).toContain('must be after from')
  })

  it('merges speakers with 2 and 3 submissions, one of them shared, into one with 4', async () => {
    const [keepId, dropId] = [await create({ bio: undefined }), await create({ bio: 'From the duplicate' })]
    await submit(keepId)
    await submit(keepId, dropId)
    await submit(dropId)
    await submit(dropId)
    const { participant } = await scenario.register({})
    await manage('link_participant', { speakerId: dropId, participantId: participant.id })
    const merged = await manage('merge', { keepId, dropId })
    expect(merged.speaker).toMatchObject({
      id: keepId,
      bio: 'From the duplicate',
      submissions: { length: 4 },
      participantId: participant.id,
    })
    expect((await refused('get', { speakerId: dropId })).code).toBe('not_found')
    expect((await refused('merge', { keepId, dropId: keepId })).message).toContain('another speaker')
  })

  it('invites a speaker at most once a day, and requires the permission to send emails', async () => {
    const ids = [await create(), await create()]
    const before = await countInvitations()
    expect(await manage('invite', { speakerIds: ids, message: 'Please come', flowSlug: 'speakers' })).toMatchObject({
      queued: 2,
      skipped: [],
    })
    expect((await manage('get', { speakerId: ids[0] })).speaker.status).toBe('invited')
    expect(await manage('invite', { speakerIds: ids })).toMatchObject({ queued: 0, skipped: [{ reason: 'recently_invited', count: 2 }] })
    expect(await manage('invite', { speakerIds: [ids[0]], resend: true })).toMatchObject({ queued: 1 })
    expect(await countInvitations()).toBe(before + 3)
    expect((await refused('invite', { speakerIds: ids, flowSlug: 'member' })).message).toContain('flowSlug')
    const rita = await scenario.world.organizer({ role: 'registrar', at: scenario.event })
    const asked = await rita.refused('manage_speaker', { eventCode: scenario.event.eventCode, action: 'invite', speakerIds: ids })
    expect(asked.message).toBe('Forbidden — manage_speaker requires the email.send permission')
  })

  it('confirms an invited speaker who registers through the speaker flow, and links the registration', async () => {
    const email = `linked${++made}@example.org`
    const [speakerId, attendeeId] = [await create({ email }), await create({ email: `not-${email}` })]
    await manage('invite', { speakerIds: [speakerId] })
    const register = (address: string, flowSlug?: string) =>
      scenario.register({ pass: 1 }, { data: newAttendee({ '@participant.email': address }), ...(flowSlug ? { flowSlug } : {}) })
    const { participant } = await register(email.toUpperCase(), 'speakers')
    expect((await manage('get', { speakerId })).speaker).toMatchObject({ status: 'confirmed', participantId: participant.id })
    // An attendee who registers with the address of a speaker does not confirm that speaker.
    const attendee = await register(`not-${email}`)
    const unlinked = (await manage('get', { speakerId: attendeeId })).speaker
    expect(unlinked).toMatchObject({ status: 'prospect' })
    expect(unlinked).not.toHaveProperty('participantId')
    const linked = await manage('link_participant', { speakerId: attendeeId, participantId: attendee.participant.id })
    expect(linked).toMatchObject({ changed: ['participantId', 'status'], speaker: { status: 'confirmed' } })
    expect(await manage('invite', { speakerIds: [speakerId] })).toMatchObject({ skipped: [{ reason: 'already_confirmed', count: 1 }] })
  })

  it('lists the conference sessions of a speaker who withdraws, and keeps those sessions', async () => {
    const speakerId = await create()
    const sessionId = await createSessionAt(scenario.world, scenario.event, { from: '2026-09-02T10:00', speakers: [{ speakerId }] })
    await manage('set_status', { speakerId, status: 'confirmed' })
    const left = await manage('set_status', { speakerId, status: 'withdrawn', reason: 'Ill' })
    expect(left).toMatchObject({ changed: ['status'], needsSpeaker: [{ sessionId }], speaker: { status: 'withdrawn' } })
    expect(await manage('set_status', { speakerId, status: 'withdrawn' })).toMatchObject({ changed: [] })
    expect((await refused('delete', { speakerId })).message).toContain('1 session')
  })

  it('deletes a speaker only if no submission of the speaker is still open', async () => {
    const speakerId = await create()
    const number = await submit(speakerId)
    expect((await refused('delete', { speakerId })).message).toContain(number)
    await scenario.call('manage_submission', { action: 'withdraw', number })
    expect(await manage('delete', { speakerId, dryRun: true })).toMatchObject({ dryRun: true, effects: { deletes: 1 } })
    expect(await manage('delete', { speakerId })).toMatchObject({ deleted: 1 })
    expect((await refused('get', { speakerId })).code).toBe('not_found')
  })
})

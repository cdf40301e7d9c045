import { readLatestCode } from '../../support/sign-in-codes.ts'
import { updateProfiles } from '../../support/recommendations.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { createGroup } from './groups.ts'
import { newParticipantAnswers, openSales, registerNewParticipant } from './registration.ts'

const registration = ({ person }: Stage) => ({ participantId: person.participantIds[0] })

/** Joins a waiting list as the stage's participant. */
async function joinWaitlist(stage: Stage): Promise<string> {
  return (await stage.person.call('fixture_add_wish', { text: stage.text() })).wish.id
}

const codes = ({ home: { tenantCode, clientCode, eventCode } }: Stage) => ({ tenantCode, clientCode, eventCode })

let addresses = 0
/** An email address receives at most three sign-in codes an hour, so each example uses a new address. */
const newAddress = ({ word }: Stage) => `code-${++addresses}@${word}.example`
/** Registers the stage's participant through the registration flow of the worked example (a complete event configuration). */
async function ownRegistration(stage: Stage): Promise<{ participantId: string }> {
  await openSales(stage)
  const participantId = stage.person.participantIds[0]!
  await stage.world.database.pool.query(
    `update participants set flow_slug = 'attendee', company = $2 where id = $1 and company is distinct from $2`,
    [participantId, stage.word],
  )
  return { participantId }
}

/** Returns a confirmation email that was sent long enough ago to be resent. */
async function sentEmail(stage: Stage): Promise<{ participantId: string; emailId: string }> {
  const { participantId } = await ownRegistration(stage)
  await stage.admin.call('resend_participant_confirmation', { eventCode: stage.home.eventCode, participantId })
  const { rows } = await stage.world.database.pool.query<{ id: string }>(
    `update messages set status = 'sent', sent_at = queued_at, queued_at = queued_at - interval '2 days' where source_id = $1 and status = 'queued' returning id`,
    [participantId],
  )
  return {
    participantId,
    emailId: rows
      .map(({ id }) => id)
      .toSorted()
      .at(-1)!,
  }
}

/** A group that the stage's participant manages. */
async function ownGroup(stage: Stage): Promise<string> {
  const { code } = await createGroup(stage, 0, { admins: [{ email: stage.person.email, name: stage.text() }] })
  return code
}

const changeOwn = (stage: Stage, columns: string, ids: readonly string[] = stage.person.participantIds) =>
  stage.world.database.pool.query(`update participants set ${columns} where id = any($1)`, [ids])

const inFlow = (stage: Stage) => changeOwn(stage, `flow_slug = 'attendee'`)
const optIntoRecommendations = (stage: Stage, ids: readonly string[]) => changeOwn(stage, 'visible_to_participants = true', ids)
const describe = (stage: Stage) => changeOwn(stage, `job_title = '${stage.word}', company = '${stage.word}', city = '${stage.word}'`)

export const PARTICIPANT_EXAMPLES: Examples = {
  agent_request_otp: (stage) => ({ ...codes(stage), email: newAddress(stage) }),
  agent_verify_otp: async (stage) => {
    const call = { ...codes(stage), email: newAddress(stage) }
    await stage.person.with({ session: null }).call('agent_request_otp', call)
    return { ...call, code: await readLatestCode(stage.world, call.email) }
  },
  agent_list_flows: async (stage) => {
    await openSales(stage)
    return {}
  },
  agent_submit_registration: async (stage) => {
    await openSales(stage)
    return { flowSlug: 'attendee', data: newParticipantAnswers(stage) }
  },
  describe_my_flow: ownRegistration,
  get_my_registration: ownRegistration,
  update_my_registration: async (stage) => ({
    ...(await ownRegistration(stage)),
    data: { '@participant.company': stage.text() },
  }),
  check_balance_due: ownRegistration,
  resend_my_confirmation_email: sentEmail,
  list_data_fields: async (stage) => {
    await openSales(stage)
    return { flowSlug: 'attendee', entity: 'participant', search: 'name' }
  },
  get_group_import_template: async (stage) => ({ groupCode: await ownGroup(stage), format: 'csv' }),
  import_group_members: async (stage) => ({
    groupCode: await ownGroup(stage),
    members: [{ data: newParticipantAnswers(stage, { '@product.pass': 1 }) }],
  }),
  recommend_products: async (stage) => {
    await openSales(stage)
    await inFlow(stage)
    return { ...registration(stage), limit: 3 }
  },
  recommend_participants: async (stage) => {
    await openSales(stage)
    const { participant } = await registerNewParticipant(stage)
    await optIntoRecommendations(stage, [stage.person.participantIds[0]!, participant.id])
    await updateProfiles(stage)
    return { ...registration(stage), limit: 3 }
  },
  generate_participant_profile: async (stage) => {
    await describe(stage)
    return { ...registration(stage), tone: 'warm', language: 'de', maxWords: 60 }
  },
  fixture_whoami: () => ({}),
  fixture_list_wishes: [
    async (stage) => {
      for (let i = 0; i < 3; i++) await joinWaitlist(stage)
      return registration(stage)
    },
    // A participant with only one registration may omit participantId.
    async (stage) => {
      for (let i = 0; i < 3; i++) await joinWaitlist(stage)
      return {}
    },
  ],
  fixture_get_wish: async (stage) => ({ ...registration(stage), wishId: await joinWaitlist(stage) }),
  fixture_add_wish: (stage) => ({ ...registration(stage), text: stage.text() }),
  fixture_drop_wishes: async (stage) => {
    await joinWaitlist(stage)
    return registration(stage)
  },
  fixture_fetch: () => ({}),
}

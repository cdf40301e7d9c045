import { newestCodeOf } from '../../support/codes.ts'
import { keepUp } from '../../support/recommending.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { groupWith } from './groups.ts'
import { newcomer, openSales, registered } from './registration.ts'

const registration = ({ person }: Stage) => ({ participantId: person.participantIds[0] })

/** As whoever is at the stage: their wishes are theirs. */
async function wish(stage: Stage): Promise<string> {
  return (await stage.person.call('fixture_add_wish', { text: stage.text() })).wish.id
}

const codes = ({ home: { tenantCode, clientCode, eventCode } }: Stage) => ({ tenantCode, clientCode, eventCode })

let addresses = 0
/** No mailbox is sent more than three codes an hour. */
const newAddress = ({ word }: Stage) => `code-${++addresses}@${word}.example`
/** Whoever is at the stage, as if they had come by the flow of the worked example. */
async function ownRegistration(stage: Stage): Promise<{ participantId: string }> {
  await openSales(stage)
  const participantId = stage.person.participantIds[0]!
  await stage.world.database.pool.query(
    `update participants set flow_slug = 'attendee', company = $2 where id = $1 and company is distinct from $2`,
    [participantId, stage.word],
  )
  return { participantId }
}

/** A mail about it that has gone out, long enough ago that another may. */
async function sentMail(stage: Stage): Promise<{ participantId: string; emailId: string }> {
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

/** A group that the person at the stage looks after. */
async function ownGroup(stage: Stage): Promise<string> {
  const { code } = await groupWith(stage, 0, { admins: [{ email: stage.person.email, name: stage.text() }] })
  return code
}

const changeOwn = (stage: Stage, columns: string, ids: readonly string[] = stage.person.participantIds) =>
  stage.world.database.pool.query(`update participants set ${columns} where id = any($1)`, [ids])

const inFlow = (stage: Stage) => changeOwn(stage, `flow_slug = 'attendee'`)
const findable = (stage: Stage, ids: readonly string[]) => changeOwn(stage, 'visible_to_participants = true', ids)
const describe = (stage: Stage) => changeOwn(stage, `job_title = '${stage.word}', company = '${stage.word}', city = '${stage.word}'`)

export const PARTICIPANT_EXAMPLES: Examples = {
  agent_request_otp: (stage) => ({ ...codes(stage), email: newAddress(stage) }),
  agent_verify_otp: async (stage) => {
    const call = { ...codes(stage), email: newAddress(stage) }
    await stage.person.with({ session: null }).call('agent_request_otp', call)
    return { ...call, code: await newestCodeOf(stage.world, call.email) }
  },
  agent_list_flows: async (stage) => {
    await openSales(stage)
    return {}
  },
  agent_submit_registration: async (stage) => {
    await openSales(stage)
    return { flowSlug: 'attendee', data: newcomer(stage) }
  },
  describe_my_flow: ownRegistration,
  get_my_registration: ownRegistration,
  update_my_registration: async (stage) => ({
    ...(await ownRegistration(stage)),
    data: { '@participant.company': stage.text() },
  }),
  check_balance_due: ownRegistration,
  resend_my_confirmation_email: sentMail,
  list_data_fields: async (stage) => {
    await openSales(stage)
    return { flowSlug: 'attendee', entity: 'participant', search: 'name' }
  },
  get_group_import_template: async (stage) => ({ groupCode: await ownGroup(stage), format: 'csv' }),
  import_group_members: async (stage) => ({
    groupCode: await ownGroup(stage),
    members: [{ data: newcomer(stage, { '@product.pass': 1 }) }],
  }),
  recommend_products: async (stage) => {
    await openSales(stage)
    await inFlow(stage)
    return { ...registration(stage), limit: 3 }
  },
  recommend_participants: async (stage) => {
    await openSales(stage)
    const { participant } = await registered(stage)
    await findable(stage, [stage.person.participantIds[0]!, participant.id])
    await keepUp(stage)
    return { ...registration(stage), limit: 3 }
  },
  generate_participant_profile: async (stage) => {
    await describe(stage)
    return { ...registration(stage), tone: 'warm', language: 'de', maxWords: 60 }
  },
  fixture_whoami: () => ({}),
  fixture_list_wishes: [
    async (stage) => {
      for (let i = 0; i < 3; i++) await wish(stage)
      return registration(stage)
    },
    // With one registration it need not be said which.
    async (stage) => {
      for (let i = 0; i < 3; i++) await wish(stage)
      return {}
    },
  ],
  fixture_get_wish: async (stage) => ({ ...registration(stage), wishId: await wish(stage) }),
  fixture_add_wish: (stage) => ({ ...registration(stage), text: stage.text() }),
  fixture_drop_wishes: async (stage) => {
    await wish(stage)
    return registration(stage)
  },
  fixture_fetch: () => ({}),
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readLatestCode, chooseWrongCode } from '../support/sign-in-codes.ts'
import { type AccountHandle, createApiAccountAt } from '../support/participants.ts'
import { buildLegacyMessage, PARTICIPANT_PATH, postMessage } from '../support/rpc.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

/** The exact error texts of the participant endpoint over HTTP; its authentication errors are tested in other-endpoints. */

let scenario: SalesScenario
let served: Served
let account: AccountHandle
let at: { tenantCode: string; clientCode: string; eventCode: string }

beforeAll(async () => {
  scenario = await openSalesScenario(undefined, { baseUrl: await chooseFreeBaseUrl() })
  const { tenantCode, clientCode, eventCode } = scenario.event
  at = { tenantCode, clientCode, eventCode }
  account = await createApiAccountAt(scenario.world, scenario.event)
  served = await serve(scenario.world)
})
afterAll(() => scenario.world.end())

async function ask(tool: string, args: object, { session, token = account.token }: { session?: string; token?: string } = {}) {
  const message = buildLegacyMessage('tools/call', { name: tool, arguments: args })
  const headers = { ...message.headers, ...(session === undefined ? {} : { 'x-participant-session': session }) }
  const { status, json } = await postMessage(served, token, { ...message, headers }, PARTICIPANT_PATH)
  return {
    status,
    isError: json.result.isError ?? false,
    text: json.result.content[0].text as string,
    result: json.result.structuredContent,
  }
}

const refused = (text: unknown) => ({ status: 200, isError: true, text })

async function verified(email: string): Promise<string> {
  await ask('agent_request_otp', { ...at, email })
  const { result } = await ask('agent_verify_otp', { ...at, email, code: await readLatestCode(scenario.world, email) })
  return result.session.token
}

const NEW_CODE = 'Fix: call agent_request_otp, then agent_verify_otp with the code that the person reads to you, and use the new session.'
const AGAIN = 'Fix: call agent_request_otp and agent_verify_otp again and use the new session.'

describe('tool errors of the participant endpoint', () => {
  it("reports an event outside the account's coverage as a tool error", async () => {
    const email = 'where@example.org'
    expect(await ask('agent_request_otp', { ...at, clientCode: 'other', email })).toMatchObject(
      refused(`API account is not authorized for ${at.tenantCode}/other/${at.eventCode}`),
    )
    expect(await ask('agent_request_otp', { ...at, eventCode: 'other', email })).toMatchObject(
      refused(`Event other does not belong to client ${at.clientCode}`),
    )
  })

  it('reports a missing, invalid or unauthorized participant session as a tool error', async () => {
    const session = await verified('session@example.org')
    const other = await createApiAccountAt(scenario.world, scenario.event)
    expect(await ask('agent_list_flows', {})).toMatchObject(refused('Missing X-Participant-Session header — call agent_verify_otp first'))
    for (const given of [{ session: 'lps_made-up' }, { session, token: other.token }])
      expect(await ask('agent_list_flows', {}, given)).toMatchObject(refused(`Invalid or expired participant session\n${NEW_CODE}`))
    expect(await ask('agent_list_flows', {}, { session })).toMatchObject({ status: 200, isError: false })
    await scenario.world.database.pool.query(`update api_accounts set allowed_clients = '[]' where id = $1`, [account.accountId])
    expect(await ask('agent_list_flows', {}, { session })).toMatchObject(
      refused('This API account is no longer authorized for this event.'),
    )
    account = await createApiAccountAt(scenario.world, scenario.event)
  })

  it('reports an unknown registration id, for every participant tool that needs a registration', async () => {
    const email = 'early@example.org'
    const session = await verified(email)
    const data = { '@participant.firstName': 'Ada', '@participant.lastName': 'Early' }
    expect((await ask('agent_submit_registration', { data }, { session })).result).toMatchObject({ status: 'new' })
    const someId = 'f'.repeat(24)
    const byName: Record<string, [object, string]> = {
      get_my_registration: [{}, 'No verified participant identity for this run.'],
      check_balance_due: [{}, 'No verified participant identity for this run.'],
      describe_my_flow: [{}, 'No verified participant identity for this run.'],
      update_my_registration: [{ data: {} }, 'No verified participant identity for this run.'],
      resend_my_confirmation_email: [{}, 'No verified participant identity for this run.'],
      list_my_appointments: [{}, 'No verified participant identity for this run.'],
      book_exhibitor_appointment: [{ slotId: someId }, 'No verified participant identity for this run.'],
      cancel_my_appointment: [{ appointmentId: someId }, 'No verified participant identity for this run.'],
      recommend_hotel: [{}, 'No participant identity available'],
      recommend_products: [{}, 'No participant identity available'],
      recommend_companies: [{}, 'No participant identity available'],
      recommend_participants: [{}, 'No participant identity available'],
      generate_participant_profile: [{}, 'No participant identity available'],
    }
    for (const [tool, [args, sentence]] of Object.entries(byName))
      expect([tool, await ask(tool, args, { session })]).toMatchObject([tool, refused(`${sentence}\n${AGAIN}`)])
    expect((await ask('get_my_registration', {}, { session: await verified(email) })).result).toMatchObject({ status: 'incomplete' })
  })

  it('reports exceeded limits for sign-in codes as a tool error, never as HTTP 429', async () => {
    const email = 'often@example.org'
    for (let sent = 0; sent < 3; sent++)
      expect((await ask('agent_request_otp', { ...at, email })).result).toEqual({ sent: true, expiresInSeconds: 900 })
    expect(await ask('agent_request_otp', { ...at, email })).toMatchObject(
      refused('OTP rate limit exceeded for this email — try again in an hour'),
    )
    const { tenantId, eventId } = scenario.event
    await scenario.world.database.pool.query(
      `insert into one_time_codes (tenant_id, id, purpose, event_id, email_norm, account_id, expires_at)
       select $1, lpad(to_hex(i), 24, '0'), 'assistant', $2, 'bulk-' || i || '@example.org', $3, lanyard_now() from generate_series(1, 200) i`,
      [tenantId, eventId, account.accountId],
    )
    expect(await ask('agent_request_otp', { ...at, email: 'one-more@example.org' })).toMatchObject(
      refused('Daily OTP quota exceeded for this API account'),
    )
    account = await createApiAccountAt(scenario.world, scenario.event)
  })

  it('returns a wrong sign-in code or an invalid form answer as a normal result, not as a tool error', async () => {
    const email = 'result@example.org'
    await ask('agent_request_otp', { ...at, email })
    const code = await readLatestCode(scenario.world, email)
    expect(await ask('agent_verify_otp', { ...at, email, code: chooseWrongCode(code) })).toMatchObject({
      status: 200,
      isError: false,
      result: { verified: false, reason: 'wrong_code', attemptsRemaining: 2 },
    })
    const session = (await ask('agent_verify_otp', { ...at, email, code })).result.session.token
    const data = { '@participant.firstName': 'Ada', '@participant.lastName': 'Result', '@participant.country': 'Atlantis' }
    const submitted = await ask('agent_submit_registration', { data }, { session })
    expect(submitted).toMatchObject({ status: 200, isError: false, result: { status: 'validation_failed', errors: [expect.any(Object)] } })
    expect(Object.keys(submitted.result).toSorted()).toEqual(['errors', 'status'])
    expect(await scenario.queryNumber(`select count(*)::int as figure from participants where email = '${email}'`)).toBe(0)
  })
})

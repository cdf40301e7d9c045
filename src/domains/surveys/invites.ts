import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { splitIntoInsertBatches } from '../../kernel/insert-batches.ts'
import type { Pool } from '../../kernel/ports.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { buildEventAndClientJoins, EVENT_WITH_CLIENT_COLUMNS_SQL, type EventFoundByToken } from '../tenancy/scope.ts'
import { listUninvitedParticipants } from './audience.ts'
import type { SurveyInviteStatus } from './states.ts'
import { getSurvey, getSurveyAvailability, readSurveyConfig, type Survey } from './survey-config.ts'
import { SURVEY_INVITE_STATES } from './states.ts'

/** The maximum number of invitations per call, so that a call stays within the time limit of a transaction. */
export const MAX_INVITES = 5000

/** A new invitation with its link, which cannot be read again later. */
export interface CreatedInvite {
  inviteId: string
  participantId: string
  name: string
  email: string | null
  sessionTitle: string | null
  link: Secret
}

interface CreateInvites {
  surveyCode: string
  /** `new` invites people of the audience without an invitation; `again` replaces the links of people who have not answered. */
  who: 'new' | 'again'
  /** The initial status: `queued` if the link is sent by email; `delivered` if the organizer passes it on. */
  status: Extract<SurveyInviteStatus, 'queued' | 'delivered'>
}

/** Creates personal links for the audience of a survey. Only hashes of the tokens are stored, so a lost link can only be replaced. */
export async function createSurveyInvites(ctx: RegistrationContext, { surveyCode, who, status }: CreateInvites): Promise<CreatedInvite[]> {
  const { config, facts } = await readSurveyConfig(ctx)
  const survey = getSurvey(config.surveys, surveyCode)
  if (getSurveyAvailability(survey, facts) === 'closed')
    throw preconditionFailed(`The survey ${surveyCode} is closed. It takes no more answers.`)
  const tokens = who === 'new' ? await inviteNew(ctx, survey, status) : await replaceTokens(ctx, survey, status)
  if (tokens.size > 0) recordChange(ctx, { kind: 'survey', id: surveyCode, after: { links: tokens.size, replaced: who === 'again' } })
  return describeInvites(ctx, tokens)
}

type Tokens = ReadonlyMap<string, string>

async function inviteNew(ctx: RegistrationContext, survey: Survey, status: CreateInvites['status']): Promise<Tokens> {
  const tokens = new Map<string, string>()
  const rows = (await listUninvitedParticipants(ctx, survey, MAX_INVITES)).map(({ participantId, sessionId, isTestData }) => {
    const [id, token] = [newId(), newSurveyToken()]
    tokens.set(id, token)
    return {
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      survey_code: survey.code,
      participant_id: participantId,
      session_id: sessionId,
      is_test_data: isTestData,
      token_hash: hashToken(token),
      status,
      sent_at: status === 'delivered' ? sql<Date>`lanyard_now()` : null,
    }
  })
  const created = new Set<string>()
  for (const part of splitIntoInsertBatches(rows)) {
    // If a concurrent call invited the same people, each person keeps one invitation.
    const inserted = await ctx.db
      .insertInto('survey_invites')
      .values(part)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute()
    for (const { id } of inserted) created.add(id)
  }
  return new Map([...tokens].filter(([id]) => created.has(id)))
}

/**
 * Replaces the tokens of invitations. A started anonymous response can only be found with its link, so its link is not replaced; otherwise
 * the person could answer twice.
 */
async function replaceTokens(ctx: RegistrationContext, survey: Survey, status: CreateInvites['status']): Promise<Tokens> {
  const replaceable = survey.anonymous
    ? ['queued', 'delivered', 'bounced', 'opened', 'declined']
    : ['queued', 'delivered', 'bounced', 'opened', 'started', 'declined']
  const { rows } = await sql<{ id: string }>`
    select i.id from survey_invites i where i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id}
      and i.survey_code = ${survey.code} and i.status = any(${replaceable})
    order by i.sent_at nulls first, i.id limit ${MAX_INVITES} for update`.execute(ctx.db)
  const tokens = new Map(rows.map(({ id }) => [id, newSurveyToken()]))
  await sql`
    update survey_invites i set token_hash = n.token_hash, sent_at = lanyard_now(), updated_at = lanyard_now(),
      status = case when i.status = any(${SURVEY_INVITE_STATES.before('queued').concat('queued')}) then ${status} else i.status end
    from unnest(${[...tokens.keys()]}::text[], ${[...tokens.values()].map(hashToken)}::bytea[]) n(id, token_hash)
    where i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id} and i.id = n.id`.execute(ctx.db)
  return tokens
}

const newSurveyToken = () => newToken('survey_')

async function describeInvites(ctx: RegistrationContext, tokens: Tokens): Promise<CreatedInvite[]> {
  const { rows } = await sql<Omit<CreatedInvite, 'link'>>`
    select i.id as "inviteId", i.participant_id as "participantId", concat_ws(' ', p.first_name, p.last_name) as name, p.email,
      s.title as "sessionTitle"
    from survey_invites i
    join participants p on p.tenant_id = i.tenant_id and p.event_id = i.event_id and p.id = i.participant_id
    left join sessions s on s.tenant_id = i.tenant_id and s.event_id = i.event_id and s.id = i.session_id
    where i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id} and i.id = any(${[...tokens.keys()]})
    order by p.last_name, p.first_name, i.id`.execute(ctx.db)
  return rows.map((row) => ({ ...row, link: new Secret(`${ctx.baseUrl}/s/${tokens.get(row.inviteId)!}`) }))
}

/** The invitation that a link opens. */
export interface SurveyInviteOfLink extends EventFoundByToken {
  inviteId: string
  surveyCode: string
  participantId: string
  sessionId: string | null
  sessionTitle: string | null
  status: SurveyInviteStatus
  isTestData: boolean
  name: string
}

// Opening a link does not change the status, because email scanners open every link.
const FIND_INVITE = `
select i.id as "inviteId", i.survey_code as "surveyCode", i.participant_id as "participantId", i.session_id as "sessionId",
  s.title as "sessionTitle", i.status, i.is_test_data as "isTestData", concat_ws(' ', p.first_name, p.last_name) as name,
  ${EVENT_WITH_CLIENT_COLUMNS_SQL}
from survey_invites i
join participants p on p.tenant_id = i.tenant_id and p.event_id = i.event_id and p.id = i.participant_id
${buildEventAndClientJoins('i')}
left join sessions s on s.tenant_id = i.tenant_id and s.event_id = i.event_id and s.id = i.session_id
where i.token_hash = $1`

/** Finds the invitation of a link; null if the link is unknown. */
export async function findSurveyInvite(pool: Pool, token: string): Promise<SurveyInviteOfLink | null> {
  const { rows } = await pool.query<SurveyInviteOfLink>(FIND_INVITE, [hashToken(token)])
  return rows[0] ?? null
}

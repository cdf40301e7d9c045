import { sql } from 'kysely'
import { newId } from '../../kernel/ids.ts'
import { eventPages } from '../tenancy/public-pages.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { AtEvent } from './scene.ts'

const LABEL = 'registration token'
const LIFETIME_SECONDS = 86_400

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Where somebody goes on with a registration that they did not finish, without another sign-in: for that person alone, for a day. The token is a
 * signed JWT, so that nothing of it is stored.
 */
export async function finishLink(ctx: AtEvent, { id, flow_slug }: Pick<ParticipantRow, 'id' | 'flow_slug'>): Promise<string> {
  const pages = eventPages(ctx)
  if (flow_slug === null) return pages.home
  const { rows } = await sql<{ now: number }>`select floor(extract(epoch from lanyard_now()))::float8 as now`.execute(ctx.db)
  const issuedAt = rows[0]!.now
  const header = { alg: 'HS256', typ: 'JWT', kid: ctx.keys.sign(LABEL, 'kid').slice(0, 8) }
  const claims = {
    iss: ctx.baseUrl,
    aud: 'registration',
    sub: id,
    evt: ctx.event.id,
    flow: flow_slug,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    jti: newId(),
  }
  const signed = `${part(header)}.${part(claims)}`
  return `${pages.register(flow_slug)}?token=${signed}.${ctx.keys.sign(LABEL, signed)}`
}

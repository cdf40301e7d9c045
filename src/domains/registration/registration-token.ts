import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'

const LABEL = 'registration token'
const LIFETIME_SECONDS = 86_400
const ALGORITHM = 'HS256'

/** What a token opens: the form of a registration that is not finished, or the page where what is owed is paid. */
export type TokenAudience = 'registration' | 'pay'

type Signing = Pick<Context, 'db' | 'keys' | 'baseUrl'> & { event: { id: string } }

interface Subject {
  audience: TokenAudience
  participantId: string
  flowSlug: string | null
}

interface Claims {
  aud: TokenAudience
  sub: string
  evt: string
  flow: string | null
  exp: number
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Opens one registration without another sign-in, for a day by the database's clock. It is a signed JWT, so that nothing of it is stored. */
export async function issueRegistrationToken(ctx: Signing, { audience, participantId, flowSlug }: Subject): Promise<string> {
  const issuedAt = Math.floor(await databaseSeconds(ctx))
  const header = { alg: ALGORITHM, typ: 'JWT', kid: ctx.keys.sign(LABEL, 'kid').slice(0, 8) }
  const claims = {
    iss: ctx.baseUrl,
    aud: audience,
    sub: participantId,
    evt: ctx.event.id,
    flow: flowSlug,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    jti: newId(),
  }
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${ctx.keys.sign(LABEL, signed)}`
}

export type ReadToken = { state: 'valid'; participantId: string; flowSlug: string | null } | { state: 'expired' } | { state: 'invalid' }

interface Expected {
  audience: TokenAudience
  eventId: string
  /** Left out where the address names no flow. */
  flowSlug?: string
}

/** Whose registration a token opens at this place. Who may enter is not decided yet: the registration may have ended since. */
export async function readRegistrationToken(
  ctx: Pick<Context, 'db' | 'keys'>,
  token: string,
  { audience, eventId, flowSlug }: Expected,
): Promise<ReadToken> {
  const claims = signedClaims(ctx, token)
  const meant = claims !== null && claims.aud === audience && claims.evt === eventId && (flowSlug === undefined || claims.flow === flowSlug)
  if (!meant) return { state: 'invalid' }
  if ((await databaseSeconds(ctx)) >= claims.exp) return { state: 'expired' }
  return { state: 'valid', participantId: claims.sub, flowSlug: claims.flow }
}

/** Null for whatever was not signed here, and for another algorithm than ours: a token does not choose how it is checked. */
function signedClaims({ keys }: Pick<Context, 'keys'>, token: string): Claims | null {
  const [header = '', claims = '', signature = '', ...more] = token.split('.')
  if (more.length > 0 || (decoded(header) as { alg?: unknown } | null)?.alg !== ALGORITHM) return null
  return keys.verify(LABEL, `${header}.${claims}`, signature) ? (decoded(claims) as Claims) : null
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

async function databaseSeconds({ db }: Pick<Context, 'db'>): Promise<number> {
  const { rows } = await sql<{ now: number }>`select extract(epoch from lanyard_now())::float8 as now`.execute(db)
  return rows[0]!.now
}

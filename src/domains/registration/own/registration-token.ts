import { sql } from 'kysely'
import type { Context } from '../../../kernel/context.ts'
import { newId } from '../../../kernel/ids.ts'

const SIGNING_LABEL = 'registration token'
const LIFETIME_SECONDS = 86_400
const ALGORITHM = 'HS256'

/** The page a token gives access to: the form of an unfinished registration, or the payment page. */
export type RegistrationTokenAudience = 'registration' | 'pay'

type Signing = Pick<Context, 'db' | 'keys' | 'baseUrl'> & { event: { id: string } }

interface Subject {
  audience: RegistrationTokenAudience
  participantId: string
  flowSlug: string | null
}

interface Claims {
  aud: RegistrationTokenAudience
  sub: string
  evt: string
  flow: string | null
  exp: number
}

const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Issues a token that gives access to one registration without signing in, for one day by the database clock. The token is a signed JWT, so
 * that no state is stored.
 */
export async function issueRegistrationToken(ctx: Signing, { audience, participantId, flowSlug }: Subject): Promise<string> {
  const issuedAt = Math.floor(await databaseSeconds(ctx))
  const header = { alg: ALGORITHM, typ: 'JWT', kid: ctx.keys.sign(SIGNING_LABEL, 'kid').slice(0, 8) }
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
  const signed = `${encodePart(header)}.${encodePart(claims)}`
  return `${signed}.${ctx.keys.sign(SIGNING_LABEL, signed)}`
}

export type RegistrationTokenCheckResult =
  | { state: 'valid'; participantId: string; flowSlug: string | null }
  | { state: 'expired' }
  | { state: 'invalid' }

interface Expected {
  audience: RegistrationTokenAudience
  eventId: string
  /** The flow in the URL; omitted if the URL contains no flow. */
  flowSlug?: string
}

/**
 * Verifies a token and returns its registration. The caller must still check access, because the registration may have ended after the
 * token was issued.
 */
export async function readRegistrationToken(
  ctx: Pick<Context, 'db' | 'keys'>,
  token: string,
  { audience, eventId, flowSlug }: Expected,
): Promise<RegistrationTokenCheckResult> {
  const claims = signedClaims(ctx, token)
  const isForThisPage =
    claims !== null && claims.aud === audience && claims.evt === eventId && (flowSlug === undefined || claims.flow === flowSlug)
  if (!isForThisPage) return { state: 'invalid' }
  if ((await databaseSeconds(ctx)) >= claims.exp) return { state: 'expired' }
  return { state: 'valid', participantId: claims.sub, flowSlug: claims.flow }
}

/**
 * Verifies the signature of a token and returns its claims; null if Lanyard did not sign it. Only one algorithm is accepted, so that a
 * token cannot choose a weaker one.
 */
function signedClaims({ keys }: Pick<Context, 'keys'>, token: string): Claims | null {
  const [header = '', claims = '', signature = '', ...more] = token.split('.')
  if (more.length > 0 || (decodePart(header) as { alg?: unknown } | null)?.alg !== ALGORITHM) return null
  return keys.verify(SIGNING_LABEL, `${header}.${claims}`, signature) ? (decodePart(claims) as Claims) : null
}

function decodePart(text: string): unknown {
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

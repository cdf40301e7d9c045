import { createHmac, createPrivateKey, sign } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../kernel/errors.ts'
import type { ESignProvider, NewProviderEnvelope, ProviderEnvelope, ProviderSigner } from '../kernel/esign.ts'
import type { Fetcher, FetchOptions } from '../kernel/fetcher.ts'
import { equalInConstantTime, type Secret } from '../kernel/secrets.ts'

export interface DocuSignSettings {
  /** The address of the REST API, such as https://eu.docusign.net/restapi. */
  baseUrl: string
  accountId: string
  integrationKey: string
  userId: string
  privateKey: Secret
  connectSecret: Secret
}

const TOKEN_SECONDS = 3600
/** A token is renewed this many seconds before it expires. */
const RENEW_SECONDS = 300
const DEMO_OAUTH = 'https://account-d.docusign.com'
const LIVE_OAUTH = 'https://account.docusign.com'

/**
 * Returns the URL of the server that issues tokens. DocuSign's own API servers have a separate one, for the demo and for live accounts; any
 * other server issues its tokens itself.
 */
export function toOAuthServerUrl(baseUrl: string): string {
  const { hostname, origin } = new URL(baseUrl)
  if (!/(^|\.)docusign\.(net|com)$/.test(hostname)) return origin
  return /^demo\.|^(account|apps)-d\./.test(hostname) ? DEMO_OAUTH : LIVE_OAUTH
}

const Token = z.looseObject({ access_token: z.string().min(1), expires_in: z.number().optional() })
const Created = z.looseObject({ envelopeId: z.string().min(1).max(100) })
const RemoteSigner = z.looseObject({
  recipientId: z.string(),
  clientUserId: z.string().optional(),
  customFields: z.array(z.string()).optional(),
  status: z.string(),
  signedDateTime: z.string().optional(),
  declinedReason: z.string().optional(),
})
const Remote = z.looseObject({
  envelopeId: z.string(),
  status: z.string(),
  recipients: z.looseObject({ signers: z.array(RemoteSigner).optional() }).optional(),
})

const ENVELOPE_STATUS: Record<string, ProviderEnvelope['status']> = {
  created: 'created',
  sent: 'sent',
  delivered: 'delivered',
  signed: 'delivered',
  completed: 'completed',
  declined: 'declined',
  voided: 'voided',
  deleted: 'voided',
  timedout: 'expired',
  expired: 'expired',
}
const SIGNER_STATUS: Record<string, ProviderSigner['status']> = {
  created: 'waiting',
  sent: 'sent',
  delivered: 'viewed',
  signed: 'signed',
  completed: 'signed',
  declined: 'declined',
}

/** Creates a signing service that uses DocuSign's eSignature REST API 2.1, with access tokens by the JWT grant. */
export function createDocuSignProvider(settings: DocuSignSettings, fetcher: Fetcher): ESignProvider {
  const account = `${settings.baseUrl}/v2.1/accounts/${encodeURIComponent(settings.accountId)}`
  const token = createTokenSource(settings, fetcher)

  async function request(path: string, options: FetchOptions = {}): Promise<{ status: number; body: Buffer }> {
    const response = await fetcher.fetch(`${account}${path}`, {
      ...options,
      redirects: 0,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...options.headers,
        authorization: `Bearer ${await token()}`,
      },
    })
    if (response.status === 401) token.drop()
    return response
  }
  async function read<T>(shape: z.ZodType<T>, path: string, options?: FetchOptions): Promise<T> {
    const { status, body } = await request(path, options)
    if (status >= 300) throw refusal(status, body)
    return shape.parse(JSON.parse(body.toString('utf8')))
  }
  const get = async (ref: string) => toEnvelope(await read(Remote, `/envelopes/${encodeURIComponent(ref)}?include=recipients`))
  const download = async (ref: string, document: string) => {
    const { status, body } = await request(`/envelopes/${encodeURIComponent(ref)}/documents/${document}`, {
      headers: { accept: 'application/pdf' },
    })
    if (status >= 300) throw refusal(status, body)
    return body
  }
  return {
    name: 'docusign',
    create: async (envelope) => {
      const { envelopeId } = await read(Created, '/envelopes', {
        method: 'POST',
        headers: { 'x-docusign-idempotency-key': envelope.key },
        body: JSON.stringify(toDefinition(envelope)),
      })
      return { ref: envelopeId }
    },
    void: async (ref, reason) => {
      const { status, body } = await request(`/envelopes/${encodeURIComponent(ref)}`, {
        method: 'PUT',
        body: JSON.stringify({ status: 'voided', voidedReason: reason.slice(0, 200) }),
      })
      // An envelope that has ended cannot be voided; its state says how it ended.
      if (status >= 500 || status === 401 || status === 429) throw refusal(status, body)
      return get(ref)
    },
    get,
    download: async (ref) => ({ signed: await download(ref, 'combined'), certificate: await download(ref, 'certificate') }),
    verifyWebhook: (body, signature) => verifyConnect(settings.connectSecret, body, signature),
  }
}

const refusal = (status: number, body: Buffer) => {
  const [, message = ''] = /"message"\s*:\s*"([^"]{0,300})"/.exec(body.toString('utf8')) ?? []
  return new AppError('unavailable', `DocuSign responded with status ${status}${message === '' ? '' : `: ${message}`}`)
}

/** Builds an envelope in DocuSign's format. Signers have our id as a custom field, because DocuSign numbers its recipients itself. */
const toDefinition = ({ key, subject, message, document, signers, expiresInDays }: NewProviderEnvelope) => ({
  status: 'sent',
  transactionId: key,
  emailSubject: subject,
  ...(message === null ? {} : { emailBlurb: message }),
  documents: [{ documentId: '1', name: document.name, fileExtension: 'pdf', documentBase64: document.content.toString('base64') }],
  recipients: {
    signers: signers.map(({ id, name, email, order }, index) => ({
      recipientId: String(index + 1),
      customFields: [id],
      name,
      email,
      routingOrder: String(order),
    })),
  },
  notification: {
    useAccountDefaults: 'false',
    expirations: { expireEnabled: 'true', expireAfter: String(expiresInDays), expireWarn: '2' },
    reminders: { reminderEnabled: 'true', reminderDelay: String(Math.max(1, Math.floor(expiresInDays / 2))), reminderFrequency: '2' },
  },
})

const toEnvelope = ({ envelopeId, status, recipients }: z.infer<typeof Remote>): ProviderEnvelope => ({
  ref: envelopeId,
  status: ENVELOPE_STATUS[status.toLowerCase()] ?? 'sent',
  signers: (recipients?.signers ?? []).flatMap((one) => {
    const id = one.customFields?.[0]
    if (id === undefined) return []
    return [
      {
        id,
        status: SIGNER_STATUS[one.status.toLowerCase()] ?? 'sent',
        signedAt: one.signedDateTime ?? null,
        declinedReason: one.declinedReason ?? null,
      },
    ]
  }),
})

/**
 * Verifies a notification of DocuSign Connect. The signature covers the raw bytes of the body; unsigned or unreadable notifications are
 * refused.
 */
function verifyConnect(secret: Secret, body: string, signature: string): { ref: string } | null {
  const expected = createHmac('sha256', secret.reveal()).update(body).digest()
  const given = Buffer.from(signature, 'base64')
  if (given.toString('base64') !== signature || !equalInConstantTime(expected, given)) return null
  try {
    const { data } = z.looseObject({ data: z.looseObject({ envelopeId: z.string().min(1).max(100) }) }).parse(JSON.parse(body))
    return { ref: data.envelopeId }
  } catch {
    return null
  }
}

function createTokenSource({ baseUrl, integrationKey, userId, privateKey }: DocuSignSettings, fetcher: Fetcher) {
  const oauth = toOAuthServerUrl(baseUrl)
  const key = createPrivateKey(privateKey.reveal())
  let held: { token: string; until: number } | null = null

  async function request(): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = {
      iss: integrationKey,
      sub: userId,
      aud: new URL(oauth).host,
      iat: now,
      exp: now + TOKEN_SECONDS,
      scope: 'signature impersonation',
    }
    const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`
    const assertion = `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
    const { status, body } = await fetcher.fetch(`${oauth}/oauth/token`, {
      method: 'POST',
      redirects: 0,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }).toString(),
    })
    if (status >= 300)
      throw new AppError(
        'unavailable',
        `DocuSign refused our key (status ${status}). Check LANYARD_DOCUSIGN_PRIVATE_KEY and the consent of its user`,
      )
    const { access_token, expires_in = TOKEN_SECONDS } = Token.parse(JSON.parse(body.toString('utf8')))
    held = { token: access_token, until: now + expires_in - RENEW_SECONDS }
    return access_token
  }
  const token = (): Promise<string> => (held && held.until > Date.now() / 1000 ? Promise.resolve(held.token) : request())
  return Object.assign(token, { drop: () => void (held = null) })
}

import { createHmac, generateKeyPairSync, verify } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Secret } from '../../src/kernel/secrets.ts'
import type { DocuSignSettings } from '../../src/platform/docusign.ts'

interface StoredEnvelope {
  envelopeId: string
  status: string
  voidedReason?: string
  recipients: {
    signers: {
      recipientId: string
      customFields: string[]
      email: string
      status: string
      signedDateTime?: string
      declinedReason?: string
    }[]
  }
}

const CONNECT_SECRET = 'connect-secret'

/** A local server with the parts of DocuSign's API that we use: tokens by JWT grant, envelopes, documents, and Connect signatures. */
export async function startDocuSign() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const envelopes = new Map<string, StoredEnvelope>()
  const byKey = new Map<string, string>()
  const requests: string[] = []

  function grantToken(body: string): [number, object] {
    const [head = '', claims = '', signature = ''] = (new URLSearchParams(body).get('assertion') ?? '').split('.')
    const isValid = verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))
    const { iss, sub, scope } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as Record<string, string>
    const isOurs = iss === 'integration' && sub === 'user' && scope === 'signature impersonation'
    return isValid && isOurs ? [200, { access_token: 'token', expires_in: 3600 }] : [400, { error: 'invalid_grant' }]
  }
  function create(body: string, key: string): [number, object] {
    const known = byKey.get(key)
    if (known) return [201, { envelopeId: known, status: 'sent' }]
    const envelopeId = `envelope-${envelopes.size + 1}`
    const { recipients } = JSON.parse(body) as { recipients: StoredEnvelope['recipients'] }
    const signers = recipients.signers.map((one, index) => ({ ...one, status: index === 0 ? 'sent' : 'created' }))
    envelopes.set(envelopeId, { envelopeId, status: 'sent', recipients: { signers } })
    byKey.set(key, envelopeId)
    return [201, { envelopeId, status: 'sent' }]
  }
  function change(envelope: StoredEnvelope, body: string): [number, object] {
    if (['completed', 'declined', 'voided'].includes(envelope.status))
      return [
        400,
        { errorCode: 'ENVELOPE_CANNOT_VOID_INVALID_STATE', message: 'Only envelopes in the sent or delivered states may be voided.' },
      ]
    Object.assign(envelope, JSON.parse(body))
    return [200, {}]
  }

  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request)
      const { pathname } = new URL(request.url!, 'http://localhost')
      requests.push(`${request.method} ${pathname}`)
      const send = ([status, content]: [number, object | Buffer]) => {
        const isFile = Buffer.isBuffer(content)
        response.writeHead(status, { 'content-type': isFile ? 'application/pdf' : 'application/json' })
        response.end(isFile ? content : JSON.stringify(content))
      }
      if (pathname === '/oauth/token') return send(grantToken(body))
      if (request.headers.authorization !== 'Bearer token') return send([401, { message: 'The token is missing' }])
      const [, ref, , document] =
        /^\/restapi\/v2\.1\/accounts\/account\/envelopes(?:\/([\w-]+)(\/documents\/(\w+))?)?$/.exec(pathname) ?? []
      if (ref === undefined) return send(create(body, String(request.headers['x-docusign-idempotency-key'])))
      const envelope = envelopes.get(ref)
      if (!envelope) return send([404, { message: 'Unknown envelope' }])
      if (document) return send([200, Buffer.from(`%PDF-1.7 ${document} of ${ref}`)])
      return send(request.method === 'PUT' ? change(envelope, body) : [200, envelope])
    })()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const settings: DocuSignSettings = {
    baseUrl: `http://127.0.0.1:${port}/restapi`,
    accountId: 'account',
    integrationKey: 'integration',
    userId: 'user',
    privateKey: new Secret(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string),
    connectSecret: new Secret(CONNECT_SECRET),
  }
  return {
    settings,
    host: `127.0.0.1:${port}`,
    envelopes,
    requests,
    /** A notification as Connect sends it, with its signature. */
    notify(envelopeId: string, event: string) {
      const body = JSON.stringify({ event, data: { envelopeId, envelopeSummary: { status: event.replace('envelope-', '') } } })
      return { body, signature: createHmac('sha256', CONNECT_SECRET).update(body).digest('base64') }
    },
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}

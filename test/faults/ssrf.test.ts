import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import { fetchErrorFactories } from '../../src/kernel/fetcher.ts'
import { parseAllowedHost } from '../../src/platform/destination.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { isPublicAddress } from '../../src/platform/public-address.ts'
import { createCanary, type SsrfLab, listen, PUBLIC_ADDRESSES, startLab } from './ssrf-lab.ts'
import { DIRECT_PAYLOADS, LOOPBACK_ADDRESSES, type Payload, REDIRECT_PAYLOADS } from './ssrf-payloads.ts'
import { soakRounds } from '../support/soak.ts'

const ROUNDS = soakRounds(1000)
const { notWeb, credentials, port, notPublic, unresolved, downgrade } = fetchErrorFactories
const plain = [notWeb(), credentials(), port(), notPublic(), unresolved()]
const SENTENCES = new Set([...plain, ...plain.map(fetchErrorFactories.redirected), downgrade()].map((refusal) => refusal.message))

describe('guarded fetcher', () => {
  let lab: SsrfLab
  beforeAll(async () => void (lab = await startLab()))
  afterAll(() => lab[Symbol.asyncDispose]())

  /** Fetches a forbidden address. Returns the error message, or that there was a response. */
  async function outcome({ url, names = {} }: Partial<Payload> & { url: string }, fetcher = lab.fetcher()): Promise<string> {
    lab.setNames(names)
    return fetcher.fetch(url).then(
      ({ body }) => `answered: ${body.toString()}`,
      (error: unknown) => (error instanceof AppError ? error.message : `not a refusal: ${String(error)}`),
    )
  }
  async function leaks(payloads: readonly Payload[]): Promise<string[]> {
    const [before, dialled] = [lab.countConnections(), lab.dialled.length]
    const found: string[] = []
    for (const payload of payloads) {
      const sentence = await outcome(payload)
      if (!SENTENCES.has(sentence)) found.push(`${payload.url} → ${sentence}`)
    }
    expect(lab.dialled.slice(dialled).filter((address) => !isPublicAddress(address))).toEqual([])
    expect(lab.countConnections() - before, 'connections to a canary').toBe(0)
    return found
  }

  it(`rejects ${DIRECT_PAYLOADS.length} forbidden addresses without connecting to a private server`, async () => {
    expect(DIRECT_PAYLOADS.length).toBeGreaterThanOrEqual(150)
    expect(await leaks(DIRECT_PAYLOADS)).toEqual([])
  })

  it(`rejects ${REDIRECT_PAYLOADS.length} redirects to forbidden addresses without connecting to a private server`, async () => {
    expect(REDIRECT_PAYLOADS.length).toBeGreaterThanOrEqual(150)
    expect(await leaks(REDIRECT_PAYLOADS)).toEqual([])
  })

  it('control: without the address check, the same URLs reach private servers', async () => {
    const reached = async ({ url, names }: Payload) => {
      lab.setNames(names)
      return (await lab.fetchUnguarded(url).catch(() => '')) === 'canary'
    }
    const before = lab.countConnections()
    let count = 0
    for (const payload of [...DIRECT_PAYLOADS, ...REDIRECT_PAYLOADS]) if (await reached(payload)) count++
    expect(lab.countConnections() - before).toBe(count)
    expect(count).toBeGreaterThan((DIRECT_PAYLOADS.length + REDIRECT_PAYLOADS.length) * 0.7)
  })

  it('rejects loopback addresses on ports 80 and 443 without connecting to them', async ({ skip }) => {
    let count = 0
    const servers = [80, 443].flatMap((at) => ['127.0.0.1', '::1'].map((host) => ({ at, host, server: createCanary(() => count++) })))
    const bound = await Promise.all(
      servers.map(({ server, at, host }) =>
        listen(server, at, host).then(
          () => true,
          () => false,
        ),
      ),
    )
    try {
      skip(!bound[0], 'port 80 cannot be bound here')
      const refused = await Promise.all(LOOPBACK_ADDRESSES.map((url) => outcome({ url }, createFetcher({ resolve: async () => [] }))))
      expect(new Set(refused)).toEqual(new Set([notPublic().message]))
      expect(count).toBe(0)
      expect(
        await outcome({ url: 'http://127.0.0.1/' }, createFetcher({ allowedHosts: ['127.0.0.1'] })),
        'the canary counts connections',
      ).toBe('answered: canary')
      expect(count).toBe(1)
    } finally {
      servers.forEach(({ server }, i) => bound[i] && server.close())
    }
  })

  it('rejects every notation of a private IP address', async () => {
    const special = fc.constantFrom(0x7f000001, 0x0a000001, 0xa9fea9fe, 0xc0a80101, 0xac100001, 0x64400001)
    const spell = fc.constantFrom(...[8, 10, 16].map((radix) => (n: number) => ({ 8: '0', 10: '', 16: '0x' })[radix] + n.toString(radix)))
    const address = fc.tuple(special, fc.integer({ min: 1, max: 4 }), fc.array(spell, { minLength: 4, maxLength: 4 }), fc.boolean())
    await fc.assert(
      fc.asyncProperty(address, async ([number, parts, spellings, dot]) => {
        const leading = Array.from({ length: parts - 1 }, (_, i) => (number >>> (24 - 8 * i)) & 0xff)
        const rest = number % 2 ** (8 * (5 - parts))
        const host = [...leading, rest].map((part, i) => spellings[i]!(part)).join('.')
        expect(await outcome({ url: `http://${host}${dot ? '.' : ''}/` })).toBe(notPublic().message)
      }),
      { numRuns: soakRounds(500) },
    )
  })

  it(`resolves a host name once, so that ${ROUNDS} DNS rebinding attempts reach no private server`, async () => {
    const [before, lookups] = [lab.countConnections(), lab.lookups()]
    const inTurn = Array.from({ length: ROUNDS }, (_, i) => [i % 2 === 0 ? PUBLIC_ADDRESSES[0] : '127.0.0.1'])
    lab.setNames({ 'rebind.test': inTurn })
    const fetcher = lab.fetcher()
    const race = async () =>
      fetcher.fetch('http://rebind.test/').then(
        ({ body }) => body.toString(),
        (error: AppError) => error.message,
      )
    const outcomes: string[] = []
    for (let i = 0; i < ROUNDS; i += 50) outcomes.push(...(await Promise.all(Array.from({ length: 50 }, race))))
    expect(Map.groupBy(outcomes, (one) => one).get('public')).toHaveLength(ROUNDS / 2)
    expect(Map.groupBy(outcomes, (one) => one).get(notPublic().message)).toHaveLength(ROUNDS / 2)
    expect(lab.lookups() - lookups).toBe(ROUNDS)
    expect(lab.countConnections() - before).toBe(0)
  })

  it('control: reaches a private server if the client resolves the host name again after the check', async () => {
    const before = lab.countConnections()
    lab.setNames({ 'rebind.test': [[PUBLIC_ADDRESSES[0]], ['127.0.0.1']] })
    expect(await lab.fetchUnguarded('http://rebind.test/')).toBe('canary')
    expect(lab.countConnections() - before).toBe(1)
  })

  it('resolves the host name again after a redirect to the same host', async () => {
    const before = lab.countConnections()
    const url = 'http://rebind.test/to/302/%2F'
    expect(await outcome({ url, names: { 'rebind.test': [[PUBLIC_ADDRESSES[0]], ['127.0.0.1']] } })).toBe(
      fetchErrorFactories.redirected(notPublic()).message,
    )
    expect(await outcome({ url, names: { 'rebind.test': [[PUBLIC_ADDRESSES[0]], [PUBLIC_ADDRESSES[1]]] } })).toBe('answered: public')
    expect(lab.countConnections() - before).toBe(0)
  })

  it('does not connect when DNS responds after the timeout', async () => {
    const dialled = lab.dialled.length
    const late = Promise.withResolvers<{ address: string; family: number }[]>()
    const refused = lab.fetcher({ resolve: () => late.promise }).fetch('http://late.test/', { timeoutMs: 20 })
    await expect(refused).rejects.toThrow(fetchErrorFactories.tooSlow().message)
    late.resolve([{ address: PUBLIC_ADDRESSES[0], family: 4 }])
    await new Promise((resolve) => setImmediate(resolve))
    expect(lab.dialled.length).toBe(dialled)
  })

  it('allows private hosts that the operator lists, on the listed ports', async () => {
    const names = { 'crm.internal': ['10.0.0.5'], 'other.internal': ['10.0.0.6'] }
    const fetcher = lab.fetcher({ allowedHosts: ['crm.internal:8080', 'BÜCHER.test', '10.0.0.7', '[fd00::7]:9000'] })
    const answered = 'answered: canary'
    const expected: Record<string, string> = {
      'http://crm.internal:8080/': answered,
      'http://CRM.internal.:8080/': answered,
      'http://crm.internal/': notPublic().message,
      'http://crm.internal:8081/': port().message,
      'http://other.internal/': notPublic().message,
      'http://x.crm.internal:8080/': port().message,
      'http://10.0.0.7:5000/': answered,
      'http://0xa.7/': answered,
      'http://10.0.0.8/': notPublic().message,
      'https://[fd00::7]:9000/': answered,
      'http://[fd00::7]/': notPublic().message,
    }
    const outcomes = await Promise.all(Object.keys(expected).map(async (url) => [url, await outcome({ url, names }, fetcher)]))
    expect(Object.fromEntries(outcomes)).toEqual(expected)
  })

  it("rejects malformed entries in the operator's list of allowed private hosts", () => {
    const wrong = [
      '*.internal',
      'http://crm.internal',
      'crm.internal/x',
      '10.0.0.0/8',
      'a@b',
      'crm:0',
      'crm:65536',
      'crm:http',
      '',
      ':80',
      '[::1',
      '256.1.1.1',
    ]
    expect(wrong.filter((entry) => parseAllowedHost(entry))).toEqual([])
    expect(['crm:80', 'Crm.Internal.', '::1', '[::1]:80', '0x7f.1'].map(parseAllowedHost)).toEqual([
      { host: 'crm', port: 80 },
      { host: 'crm.internal', port: null },
      { host: '::1', port: null },
      { host: '::1', port: 80 },
      { host: '127.0.0.1', port: null },
    ])
    expect(() => createFetcher({ allowedHosts: ['*'] })).toThrow('not a host')
  })
})

import { z } from 'zod'
import type { FetchResponse, Fetcher, FetchOptions } from '../kernel/fetcher.ts'
import type { TaxNumberVerifier } from '../kernel/ports.ts'
import type { Secret } from '../kernel/secrets.ts'

export interface TaxVerifierSettings {
  /** Whether EU tax numbers are checked with VIES. */
  vies: boolean
  /** Credentials for the UK tax authority (HMRC). Null: UK tax numbers are not checked. */
  hmrc: { clientId: string; clientSecret: Secret } | null
}

const SERVICE_URLS = { vies: 'https://ec.europa.eu/taxation_customs/vies/rest-api', hmrc: 'https://api.service.hmrc.gov.uk' }

/** Timeout of a check. The user waits for the result, and continues without it after this time. */
const TIMEOUT_MS = 5000

/** Country codes that VIES writes differently: the EU uses EL for Greece. */
const VIES_COUNTRY_CODES: Record<string, string> = { GR: 'EL' }
const IN_VIES = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '))

const ViesAnswer = z.looseObject({ valid: z.boolean(), userError: z.string().optional() })
const Token = z.looseObject({ access_token: z.string().min(1), expires_in: z.number().min(1) })

/** Checks tax numbers with the configured services. Any failure counts as no answer, never as an invalid number. */
export function createTaxNumberVerifier(settings: TaxVerifierSettings, fetcher: Fetcher, addresses = SERVICE_URLS): TaxNumberVerifier {
  const request = (url: string, options: FetchOptions): Promise<FetchResponse> =>
    fetcher.fetch(url, { timeoutMs: TIMEOUT_MS, maxBytes: 100_000, redirects: 0, ...options })

  /** Checks an EU tax number with VIES. If a member state does not respond, VIES returns an error in `userError`. */
  async function vies(country: string, number: string): Promise<boolean | null> {
    const answer = await request(`${addresses.vies}/check-vat-number`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ countryCode: VIES_COUNTRY_CODES[country] ?? country, vatNumber: number }),
    })
    const read = answer.status === 200 ? ViesAnswer.safeParse(JSON.parse(answer.body.toString('utf8'))) : null
    if (!read?.success || !['VALID', 'INVALID', undefined].includes(read.data.userError)) return null
    return read.data.valid
  }

  let token: { text: string; until: number } | null = null
  async function hmrcToken({ clientId, clientSecret }: NonNullable<TaxVerifierSettings['hmrc']>): Promise<string> {
    if (token && token.until > Date.now()) return token.text
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret.reveal(),
    }).toString()
    const answer = await request(`${addresses.hmrc}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body,
    })
    if (answer.status !== 200) throw new Error(`status ${answer.status}`)
    const { access_token, expires_in } = Token.parse(JSON.parse(answer.body.toString('utf8')))
    token = { text: access_token, until: Date.now() + (expires_in - 60) * 1000 }
    return access_token
  }

  /** Checks a UK tax number with HMRC, which returns 404 for an unregistered number. */
  async function hmrc(credentials: NonNullable<TaxVerifierSettings['hmrc']>, number: string): Promise<boolean | null> {
    const authorization = `Bearer ${await hmrcToken(credentials)}`
    const { status } = await request(`${addresses.hmrc}/organisations/vat/check-vat-number/lookup/${encodeURIComponent(number)}`, {
      headers: { accept: 'application/vnd.hmrc.2.0+json', authorization },
    })
    // A rejected access token is discarded, so that the next check requests a new one.
    if (status === 401 || status === 403) token = null
    return status === 200 ? true : status === 404 ? false : null
  }

  return {
    async isRegistered(country, number) {
      try {
        if (settings.vies && IN_VIES.has(country)) return await vies(country, number)
        if (settings.hmrc && country === 'GB') return await hmrc(settings.hmrc, number)
        return null
      } catch {
        return null
      }
    },
  }
}

import { z } from 'zod'
import type { Fetched, Fetcher, FetchOptions } from '../kernel/fetcher.ts'
import type { TaxOffices } from '../kernel/ports.ts'
import type { Secret } from '../kernel/secrets.ts'

export interface TaxOfficeSettings {
  /** Whether the member states of the EU are asked. */
  vies: boolean
  /** Null: the United Kingdom is not asked. */
  hmrc: { clientId: string; clientSecret: Secret } | null
}

const ADDRESSES = { vies: 'https://ec.europa.eu/taxation_customs/vies/rest-api', hmrc: 'https://api.service.hmrc.gov.uk' }

/** Somebody waits for the answer, and goes on without it. */
const TIMEOUT_MS = 5000

/** The EU writes Greece by its own name. */
const VIES_NAMES: Record<string, string> = { GR: 'EL' }
const IN_VIES = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '))

const ViesAnswer = z.looseObject({ valid: z.boolean(), userError: z.string().optional() })
const Token = z.looseObject({ access_token: z.string().min(1), expires_in: z.number().min(1) })

/** Asks the tax offices that are configured. Whatever goes wrong on the way is no answer, and never a refusal. */
export function taxOffices(settings: TaxOfficeSettings, fetcher: Fetcher, addresses = ADDRESSES): TaxOffices {
  const ask = (url: string, options: FetchOptions): Promise<Fetched> =>
    fetcher.fetch(url, { timeoutMs: TIMEOUT_MS, maxBytes: 100_000, redirects: 0, ...options })

  /** A member state that does not answer is told by an error in place of the answer. */
  async function vies(country: string, number: string): Promise<boolean | null> {
    const answer = await ask(`${addresses.vies}/check-vat-number`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ countryCode: VIES_NAMES[country] ?? country, vatNumber: number }),
    })
    const read = answer.status === 200 ? ViesAnswer.safeParse(JSON.parse(answer.body.toString('utf8'))) : null
    if (!read?.success || !['VALID', 'INVALID', undefined].includes(read.data.userError)) return null
    return read.data.valid
  }

  let token: { text: string; until: number } | null = null
  async function hmrcToken({ clientId, clientSecret }: NonNullable<TaxOfficeSettings['hmrc']>): Promise<string> {
    if (token && token.until > Date.now()) return token.text
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret.reveal(),
    }).toString()
    const answer = await ask(`${addresses.hmrc}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body,
    })
    if (answer.status !== 200) throw new Error(`status ${answer.status}`)
    const { access_token, expires_in } = Token.parse(JSON.parse(answer.body.toString('utf8')))
    token = { text: access_token, until: Date.now() + (expires_in - 60) * 1000 }
    return access_token
  }

  /** A number that nobody has is not found there. */
  async function hmrc(credentials: NonNullable<TaxOfficeSettings['hmrc']>, number: string): Promise<boolean | null> {
    const authorization = `Bearer ${await hmrcToken(credentials)}`
    const { status } = await ask(`${addresses.hmrc}/organisations/vat/check-vat-number/lookup/${encodeURIComponent(number)}`, {
      headers: { accept: 'application/vnd.hmrc.2.0+json', authorization },
    })
    // A token that is taken back is asked for anew the next time.
    if (status === 401 || status === 403) token = null
    return status === 200 ? true : status === 404 ? false : null
  }

  return {
    async knows(country, number) {
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

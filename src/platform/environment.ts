import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ExchangeRateSettings } from '../kernel/fx.ts'
import { isLoopback } from '../kernel/loopback.ts'
import type { QueryLimits } from '../kernel/ports.ts'
import { Secret } from '../kernel/secrets.ts'
import { parseAllowedHost } from './destination.ts'
import { FORBIDDEN_APP_URL_SCHEMES } from './forbidden-app-schemes.ts'
import { DOCUSIGN_SETTINGS } from '../kernel/esign.ts'
import type { ESignSettings } from './esign-services.ts'
import type { HotelServiceSettings } from './hotel-providers/create-hotel-services.ts'
import type { TaxVerifierSettings } from './tax-number-verifier.ts'

export interface S3Settings {
  /** URL of an S3-compatible server. Null: Amazon S3 in the region. */
  endpoint: string | null
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: Secret
  /** Whether the bucket name is in the path of the URL, not in the host name. */
  pathStyle: boolean
}

export interface Environment {
  baseUrl: string
  /** True if the base URL is not a local address of this computer. Missing settings such as keys are then not generated. */
  production: boolean
  host: string
  port: number
  databaseUrl: string | null
  /** A streaming replica of the database, for reads that may lag. Null: all reads use the database itself. */
  readDatabaseUrl: string | null
  /** A replica for reports. Null: reports read the database itself. */
  reportDatabaseUrl: string | null
  queryLimits: QueryLimits
  dataDir: string
  /** S3 settings. Null: files are stored in the data folder. */
  s3: S3Settings | null
  /** The content of the tax rates file; null if none is configured. */
  taxRates: string | null
  taxNumberVerifier: TaxVerifierSettings
  /** The catalog of hotels and the geocoder that find_hotel queries in addition to the local data. */
  hotels: HotelServiceSettings
  fx: ExchangeRateSettings
  /** The provider of electronic signatures, and the key with which signed contracts are sealed. */
  esign: ESignSettings
  secretKey: Secret | null
  secretKeysOld: readonly Secret[]
  smtpUrl: Secret | null
  /** Stripe settings. Null: no card payments, payments are recorded by hand. */
  stripe: { secretKey: Secret; webhookSecret: Secret | null; address?: string } | null
  /** Settings of the language model. Null: short texts are composed from fixed phrases without a language model. */
  ai: { url: string; key: Secret | null; model: string } | null
  mailFrom: string
  mailRate: number
  operatorToken: Secret | null
  trustedProxies: readonly string[]
  allowedOrigins: readonly string[]
  /** Hosts that may be fetched from although they are private: `host` or `host:port`. */
  allowedHosts: readonly string[]
  /** URL schemes of assistants' apps, such as `cursor`, that are allowed as redirect targets after sign-in. */
  oauthAppSchemes: readonly string[]
  role: 'all' | 'web' | 'worker'
  logLevel: 'info' | 'warn' | 'error'
  logFormat: 'pretty' | 'json'
  /** Problems with the settings that do not prevent the start. */
  warnings: readonly string[]
}

/** An invalid setting, reported to the operator before anything is opened. */
export class SettingError extends Error {}

const KNOWN_SETTINGS = new Set<string>([
  'LANYARD_BASE_URL',
  'LANYARD_HOST',
  'LANYARD_DATA_DIR',
  'LANYARD_READ_DATABASE_URL',
  'LANYARD_REPORT_DATABASE_URL',
  'LANYARD_QUERY_TIMEOUT_MS',
  'LANYARD_QUERY_MAX_COST',
  'LANYARD_STORAGE',
  'LANYARD_TAX_RATES_FILE',
  'LANYARD_VIES',
  'LANYARD_HMRC_CLIENT_ID',
  'LANYARD_HMRC_CLIENT_SECRET',
  'LANYARD_HOTEL_CATALOG',
  'LANYARD_OVERPASS_URL',
  'LANYARD_GOOGLE_PLACES_KEY',
  'LANYARD_GOOGLE_PLACES_URL',
  'LANYARD_GEOCODER_URL',
  'LANYARD_FX_PROVIDER',
  'LANYARD_FX_FILE',
  'LANYARD_FX_URL',
  'LANYARD_ESIGN_PROVIDER',
  'LANYARD_ESIGN_P12',
  'LANYARD_ESIGN_P12_PASSWORD',
  ...DOCUSIGN_SETTINGS,
  'LANYARD_SECRET_KEY',
  'LANYARD_SECRET_KEYS_OLD',
  'LANYARD_MAIL_FROM',
  'LANYARD_MAIL_RATE',
  'LANYARD_OPERATOR_TOKEN',
  'LANYARD_PAYMENTS_PROVIDER',
  'LANYARD_TRUSTED_PROXIES',
  'LANYARD_ALLOWED_ORIGINS',
  'LANYARD_ALLOWED_HOSTS',
  'LANYARD_OAUTH_APP_SCHEMES',
  'LANYARD_AI_URL',
  'LANYARD_AI_KEY',
  'LANYARD_AI_MODEL',
  'LANYARD_ROLE',
  'LANYARD_LOG_LEVEL',
  'LANYARD_LOG_FORMAT',
])
/** Secret settings, which may also be given as the path of a file (`…_FILE`), as container platforms do. */
const SECRET_SETTINGS = [
  'LANYARD_SECRET_KEY',
  'LANYARD_SECRET_KEYS_OLD',
  'LANYARD_OPERATOR_TOKEN',
  'LANYARD_AI_KEY',
  'LANYARD_HMRC_CLIENT_SECRET',
  'LANYARD_GOOGLE_PLACES_KEY',
  'LANYARD_ESIGN_P12_PASSWORD',
  'LANYARD_DOCUSIGN_PRIVATE_KEY',
  'LANYARD_DOCUSIGN_CONNECT_SECRET',
  'DATABASE_URL',
  'LANYARD_READ_DATABASE_URL',
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
]

/** Known assistants that sign in with their own URL scheme. */
const APP_SCHEMES = [
  'cursor',
  'vscode',
  'vscode-insiders',
  'vscodium',
  'code-oss',
  'windsurf',
  'kiro',
  'zed',
  'claude',
  'warp',
  'raycast',
  'com.raycast',
  'goose',
  'lmstudio',
  'jetbrains',
]

export function readEnvironment(env: NodeJS.ProcessEnv, terminal: boolean): Environment {
  const value = (name: string): string | null => {
    // An empty value counts as missing, because Compose files pass unset variables as empty, even if the `_FILE` variable is set.
    const given = env[name]?.trim()
    const file = SECRET_SETTINGS.includes(name) ? env[`${name}_FILE`]?.trim() : undefined
    return given || (file && readSettingFile(`${name}_FILE`, file)) || null
  }
  const list = (name: string) =>
    (value(name) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
  const secret = (name: string) => {
    const text = value(name)
    return text === null ? null : new Secret(text)
  }
  const port = wholeNumber('PORT', value('PORT') ?? '3000', 0, 65_535)
  const base = parseBaseUrl(value('LANYARD_BASE_URL') ?? `http://localhost:${port}`)
  const production = !isLoopback(base.hostname)
  if (production && base.protocol !== 'https:')
    throw new SettingError(`LANYARD_BASE_URL must start with https:// unless its host is this computer; it is ${base.href}`)
  if (value('LANYARD_READ_DATABASE_URL') && !value('DATABASE_URL'))
    throw new SettingError('DATABASE_URL is not set: it is required with LANYARD_READ_DATABASE_URL, the address of its replica')
  const ratesFile = value('LANYARD_TAX_RATES_FILE')
  const operatorToken = secret('LANYARD_OPERATOR_TOKEN')
  if (operatorToken && operatorToken.reveal().length < 32) throw new SettingError('LANYARD_OPERATOR_TOKEN must have at least 32 characters')
  return {
    baseUrl: base.href.replace(/\/$/, ''),
    production,
    host: value('LANYARD_HOST') ?? '127.0.0.1',
    port,
    databaseUrl: value('DATABASE_URL'),
    readDatabaseUrl: value('LANYARD_READ_DATABASE_URL'),
    reportDatabaseUrl: value('LANYARD_REPORT_DATABASE_URL'),
    queryLimits: readQueryLimits(value),
    dataDir: resolve(value('LANYARD_DATA_DIR') ?? './data'),
    s3: oneOf('LANYARD_STORAGE', value('LANYARD_STORAGE') ?? 'disk', ['disk', 's3']) === 's3' ? s3Settings(value) : null,
    taxRates: ratesFile === null ? null : readSettingFile('LANYARD_TAX_RATES_FILE', ratesFile),
    taxNumberVerifier: {
      vies: oneOf('LANYARD_VIES', value('LANYARD_VIES') ?? 'false', ['true', 'false']) === 'true',
      hmrc: hmrcSettings(value, secret),
    },
    hotels: hotelSettings(value, secret),
    fx: fxSettings(value),
    esign: esignSettings(value, secret),
    secretKey: secret('LANYARD_SECRET_KEY'),
    secretKeysOld: list('LANYARD_SECRET_KEYS_OLD').map((key) => new Secret(key)),
    smtpUrl: secret('SMTP_URL'),
    stripe:
      oneOf('LANYARD_PAYMENTS_PROVIDER', value('LANYARD_PAYMENTS_PROVIDER') ?? 'manual', ['manual', 'stripe']) === 'stripe'
        ? stripeSettings(value, secret)
        : null,
    ai: value('LANYARD_AI_URL') === null ? null : aiSettings(value, secret),
    mailFrom: value('LANYARD_MAIL_FROM') ?? `no-reply@${base.hostname}`,
    mailRate: wholeNumber('LANYARD_MAIL_RATE', value('LANYARD_MAIL_RATE') ?? '10', 1, 10_000),
    operatorToken,
    trustedProxies: list('LANYARD_TRUSTED_PROXIES'),
    allowedOrigins: list('LANYARD_ALLOWED_ORIGINS'),
    allowedHosts: list('LANYARD_ALLOWED_HOSTS').map(checkAllowedHost),
    oauthAppSchemes: value('LANYARD_OAUTH_APP_SCHEMES') === null ? APP_SCHEMES : list('LANYARD_OAUTH_APP_SCHEMES').map(parseAppScheme),
    role: oneOf('LANYARD_ROLE', value('LANYARD_ROLE') ?? 'all', ['all', 'web', 'worker']),
    logLevel: oneOf('LANYARD_LOG_LEVEL', value('LANYARD_LOG_LEVEL') ?? 'info', ['info', 'warn', 'error']),
    logFormat: oneOf('LANYARD_LOG_FORMAT', value('LANYARD_LOG_FORMAT') ?? (terminal ? 'pretty' : 'json'), ['pretty', 'json']),
    warnings: [
      ...Object.keys(env)
        .filter(
          (name) =>
            name.startsWith('LANYARD_') &&
            !KNOWN_SETTINGS.has(name) &&
            !(name.endsWith('_FILE') && SECRET_SETTINGS.includes(name.slice(0, -5))),
        )
        .map((name) => `${name} is not a setting of this version and is ignored`),
      ...(production && !value('SMTP_URL') ? ['SMTP_URL is not set: emails are only shown on the mailbox page and not sent'] : []),
      ...(value('LANYARD_PAYMENTS_PROVIDER') === 'stripe' && !value('STRIPE_WEBHOOK_SECRET')
        ? ['STRIPE_WEBHOOK_SECRET is not set: Stripe webhooks are ignored, and the status of every charge is polled']
        : []),
    ],
  }
}

function s3Settings(value: (name: string) => string | null): S3Settings {
  const needed = (name: string) => {
    const text = value(name)
    if (text === null) throw new SettingError(`${name} is not set: it is required by LANYARD_STORAGE=s3`)
    return text
  }
  const endpoint = value('S3_ENDPOINT')
  if (endpoint !== null && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : ''))
    throw new SettingError(`S3_ENDPOINT must be an address such as https://storage.example.org; it is ${endpoint}`)
  return {
    endpoint,
    bucket: needed('S3_BUCKET'),
    region: value('S3_REGION') ?? 'us-east-1',
    accessKeyId: needed('S3_ACCESS_KEY_ID'),
    secretAccessKey: new Secret(needed('S3_SECRET_ACCESS_KEY')),
    // Few S3-compatible servers other than Amazon support bucket names as host names.
    pathStyle: oneOf('S3_PATH_STYLE', value('S3_PATH_STYLE') ?? String(endpoint !== null), ['true', 'false']) === 'true',
  }
}

function stripeSettings(
  value: (name: string) => string | null,
  secret: (name: string) => Secret | null,
): NonNullable<Environment['stripe']> {
  const secretKey = secret('STRIPE_SECRET_KEY')
  if (!secretKey) throw new SettingError('STRIPE_SECRET_KEY is not set: it is required by LANYARD_PAYMENTS_PROVIDER=stripe')
  const address = value('STRIPE_API_BASE')
  if (address !== null && !/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : ''))
    throw new SettingError(`STRIPE_API_BASE must be an address such as https://api.stripe.com; it is ${address}`)
  return { secretKey, webhookSecret: secret('STRIPE_WEBHOOK_SECRET'), ...(address === null ? {} : { address }) }
}

function hmrcSettings(value: (name: string) => string | null, secret: (name: string) => Secret | null): TaxVerifierSettings['hmrc'] {
  const [clientId, clientSecret] = [value('LANYARD_HMRC_CLIENT_ID'), secret('LANYARD_HMRC_CLIENT_SECRET')]
  if (clientId === null && clientSecret === null) return null
  if (clientId === null) throw new SettingError('LANYARD_HMRC_CLIENT_ID is not set: it is required with LANYARD_HMRC_CLIENT_SECRET')
  if (clientSecret === null) throw new SettingError('LANYARD_HMRC_CLIENT_SECRET is not set: it is required with LANYARD_HMRC_CLIENT_ID')
  return { clientId, clientSecret }
}

/** URLs of the public servers of OpenStreetMap and Google. */
const HOTEL_CATALOG_URLS = { overpass: 'https://overpass-api.de/api/interpreter', google: 'https://places.googleapis.com' }

function hotelSettings(value: (name: string) => string | null, secret: (name: string) => Secret | null): HotelServiceSettings {
  const url = (name: string, otherwise: string) => webAddress(name, value(name) ?? otherwise)
  const kind = value('LANYARD_HOTEL_CATALOG')
  const key = secret('LANYARD_GOOGLE_PLACES_KEY')
  const geocoder = value('LANYARD_GEOCODER_URL')
  const geocoderUrl = geocoder === null ? null : webAddress('LANYARD_GEOCODER_URL', geocoder)
  if (kind === null) return { catalog: null, geocoderUrl }
  if (oneOf('LANYARD_HOTEL_CATALOG', kind, ['overpass', 'google']) === 'overpass')
    return { catalog: { kind: 'overpass', url: url('LANYARD_OVERPASS_URL', HOTEL_CATALOG_URLS.overpass) }, geocoderUrl }
  if (!key) throw new SettingError('LANYARD_GOOGLE_PLACES_KEY is not set: it is required by LANYARD_HOTEL_CATALOG=google')
  return { catalog: { kind: 'google', key, url: url('LANYARD_GOOGLE_PLACES_URL', HOTEL_CATALOG_URLS.google) }, geocoderUrl }
}

function fxSettings(value: (name: string) => string | null): ExchangeRateSettings {
  const [provider, file] = [value('LANYARD_FX_PROVIDER'), value('LANYARD_FX_FILE')]
  if (provider !== null) oneOf('LANYARD_FX_PROVIDER', provider, ['ecb'])
  if (file !== null) readBinaryFile('LANYARD_FX_FILE', file)
  const url = value('LANYARD_FX_URL') ?? 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip'
  return { file: file && resolve(file), ecbUrl: provider && webAddress('LANYARD_FX_URL', url) }
}

function esignSettings(value: (name: string) => string | null, secret: (name: string) => Secret | null): ESignSettings {
  const provider = oneOf('LANYARD_ESIGN_PROVIDER', value('LANYARD_ESIGN_PROVIDER') ?? 'embedded', ['embedded', 'docusign'])
  const missing = DOCUSIGN_SETTINGS.filter((name) => value(name) === null)
  if (provider === 'docusign' && missing.length > 0)
    throw new SettingError(`${missing.join(', ')} is not set: it is required by LANYARD_ESIGN_PROVIDER=docusign`)
  const file = value('LANYARD_ESIGN_P12')
  return {
    provider,
    missing,
    docusign:
      missing.length > 0
        ? null
        : {
            baseUrl: webAddress('LANYARD_DOCUSIGN_BASE_URL', value('LANYARD_DOCUSIGN_BASE_URL')!),
            accountId: value('LANYARD_DOCUSIGN_ACCOUNT_ID')!,
            integrationKey: value('LANYARD_DOCUSIGN_INTEGRATION_KEY')!,
            userId: value('LANYARD_DOCUSIGN_USER_ID')!,
            privateKey: secret('LANYARD_DOCUSIGN_PRIVATE_KEY')!,
            connectSecret: secret('LANYARD_DOCUSIGN_CONNECT_SECRET')!,
          },
    sealFile:
      file === null ? null : { content: readBinaryFile('LANYARD_ESIGN_P12', file), password: value('LANYARD_ESIGN_P12_PASSWORD') ?? '' },
  }
}

function readBinaryFile(name: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new SettingError(`${name} must name a readable file; ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function webAddress(name: string, text: string): string {
  if (!/^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : ''))
    throw new SettingError(`${name} must be an address such as https://maps.example.org; it is ${text}`)
  return text.replace(/\/$/, '')
}

function aiSettings(value: (name: string) => string | null, secret: (name: string) => Secret | null): NonNullable<Environment['ai']> {
  const url = value('LANYARD_AI_URL')!
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new SettingError(`LANYARD_AI_URL must be an address such as https://models.example.org/v1; it is ${url}`)
  const model = value('LANYARD_AI_MODEL')
  if (model === null) throw new SettingError('LANYARD_AI_MODEL is not set: it is required with LANYARD_AI_URL')
  return { url: url.replace(/\/$/, ''), key: secret('LANYARD_AI_KEY'), model }
}

function readSettingFile(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new SettingError(`${name} must name a readable file; ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username) {
    throw new SettingError(`LANYARD_BASE_URL must be an address without a path, such as https://events.example.org; it is ${text}`)
  }
  return url
}

function checkAllowedHost(entry: string): string {
  if (!parseAllowedHost(entry))
    throw new SettingError(`LANYARD_ALLOWED_HOSTS must list hosts such as crm.internal or 10.0.0.5:8080; it has ${entry}`)
  return entry
}

function parseAppScheme(entry: string): string {
  const scheme = entry.replace(/:(\/\/)?$/, '')
  if (!/^[a-z][a-z0-9+.-]*$/.test(scheme) || FORBIDDEN_APP_URL_SCHEMES.includes(scheme))
    throw new SettingError(`LANYARD_OAUTH_APP_SCHEMES must list schemes of apps such as cursor or vscode; it has ${entry}`)
  return scheme
}

const readQueryLimits = (value: (name: string) => string | null): QueryLimits => ({
  timeoutMs: wholeNumber('LANYARD_QUERY_TIMEOUT_MS', value('LANYARD_QUERY_TIMEOUT_MS') ?? '10000', 100, 600_000),
  maxCost: wholeNumber('LANYARD_QUERY_MAX_COST', value('LANYARD_QUERY_MAX_COST') ?? '5000000', 1, 10 ** 12),
})

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < min || number > max)
    throw new SettingError(`${name} must be a whole number from ${min} to ${max}; it is ${text}`)
  return number
}

function oneOf<const T extends readonly string[]>(name: string, text: string, allowed: T): T[number] {
  if (!allowed.includes(text)) throw new SettingError(`${name} must be one of ${allowed.join(', ')}; it is ${text}`)
  return text as T[number]
}

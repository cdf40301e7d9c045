import { AppError, type FieldError, invalidArguments } from '../../kernel/errors.ts'
import type { Fetcher } from '../../kernel/fetcher.ts'
import type { ConnectionRow } from './connections.ts'
import { resolveConnectionSettings } from './engine/presets.ts'
import { renderUrlTemplate } from './engine/template.ts'

type ConnectionAddress = Pick<ConnectionRow, 'preset' | 'base_url' | 'settings' | 'auth'>

/** Returns the token URL of a directory connection with its placeholders filled in; null if it has none or a setting is missing. */
export function findTokenUrl(connection: ConnectionAddress): string | null {
  const { tokenUrl } = connection.auth.settings
  if (!tokenUrl) return null
  try {
    return renderUrlTemplate(tokenUrl, connection.base_url, resolveConnectionSettings(connection))
  } catch (error) {
    if (error instanceof AppError && error.code === 'precondition_failed') return null
    throw error
  }
}

/**
 * The origins (scheme, host, port) that receive the connection's secrets. Placeholders are not allowed in a host, so the token URL's
 * origin is known even while settings are missing.
 */
export const listOriginsReceivingSecrets = ({ base_url, auth }: ConnectionAddress): string[] => {
  const [tokenStart = ''] = (auth.settings.tokenUrl ?? '').replaceAll('{base}', base_url).split('{{', 1)
  return [base_url, tokenStart].filter((url) => URL.canParse(url)).map((url) => new URL(url).origin)
}

/**
 * Rejects an address that is not https, is private, or uses a disallowed port. Every request checks again, because DNS may change; this
 * check reports the problem at configuration time. A host that does not resolve yet is returned as a warning only.
 */
export async function checkDirectoryUrls(fetcher: Fetcher, connection: ConnectionAddress): Promise<FieldError[]> {
  const tokenUrl = resolveTokenUrlArgument(connection)
  const addresses: [path: string, url: string][] = [
    ...(connection.base_url === '' ? [] : [['baseUrl', connection.base_url] as [string, string]]),
    ...(tokenUrl === null ? [] : [['auth/settings/tokenUrl', tokenUrl] as [string, string]]),
  ]
  const issues = await Promise.all(addresses.map(([path, url]) => checkAddress(fetcher, path, url)))
  const wrong = issues.flatMap((issue) => (issue && 'wrong' in issue ? [issue.wrong] : []))
  if (wrong.length > 0) throw invalidArguments(wrong)
  return issues.flatMap((issue) => (issue && 'open' in issue ? [issue.open] : []))
}

function resolveTokenUrlArgument(connection: ConnectionAddress): string | null {
  try {
    return findTokenUrl(connection)
  } catch (error) {
    throw invalidArguments([{ path: 'auth/settings/tokenUrl', message: (error as Error).message }])
  }
}

async function checkAddress(fetcher: Fetcher, path: string, url: string): Promise<{ wrong: FieldError } | { open: FieldError } | null> {
  // Requests append their path to the base URL, so a ? or # in it would turn that path into a query or fragment.
  if (path === 'baseUrl' && /[?#]|\{\{/.test(url)) return { wrong: { path, message: 'must be an address without ?, # or placeholders' } }
  try {
    await fetcher.check(url, { httpsOnly: true })
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.details.reason === 'unresolved') {
      const message = `the host ${new URL(url).hostname} does not resolve at the moment; lookups fail until it does`
      return { open: { path, message } }
    }
    if (error.code === 'invalid_arguments') return { wrong: { path, message: error.message } }
    throw error
  }
}

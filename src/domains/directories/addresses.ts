import { AppError, type FieldError, invalidArguments } from '../../kernel/errors.ts'
import type { Fetcher } from '../../kernel/fetcher.ts'
import type { ConnectionRow } from './connections.ts'
import { settingsOf } from './engine/presets.ts'
import { renderAddress } from './engine/template.ts'

type Addressed = Pick<ConnectionRow, 'preset' | 'base_url' | 'settings' | 'auth'>

/** Where tokens come from, with base and settings in their places; null where none are needed or a setting is still missing. */
export function tokenUrlOf(connection: Addressed): string | null {
  const { tokenUrl } = connection.auth.settings
  if (!tokenUrl) return null
  try {
    return renderAddress(tokenUrl, connection.base_url, settingsOf(connection))
  } catch (error) {
    if (error instanceof AppError && error.code === 'precondition_failed') return null
    throw error
  }
}

/**
 * Every site that the connection's secrets are sent to, by scheme, host and port. They were given for these and for no others. A setting
 * cannot stand in a host, so that of the token address is known while settings are still missing.
 */
export const sitesOf = ({ base_url, auth }: Addressed): string[] => {
  const [tokenStart = ''] = (auth.settings.tokenUrl ?? '').replaceAll('{base}', base_url).split('{{', 1)
  return [base_url, tokenStart].filter((url) => URL.canParse(url)).map((url) => new URL(url).origin)
}

/**
 * Refuses an address that could not be asked: not https, private, of a strange port. It is looked at again with every request, since
 * a name may lead elsewhere by then; this is to be told now, not at the first lookup. A name that does not resolve may do so by then,
 * so it is only told.
 */
export async function checkAddresses(fetcher: Fetcher, connection: Addressed): Promise<FieldError[]> {
  const tokenUrl = checkedTokenUrl(connection)
  const addresses: [path: string, url: string][] = [
    ...(connection.base_url === '' ? [] : [['baseUrl', connection.base_url] as [string, string]]),
    ...(tokenUrl === null ? [] : [['auth/settings/tokenUrl', tokenUrl] as [string, string]]),
  ]
  const issues = await Promise.all(addresses.map(([path, url]) => issueOf(fetcher, path, url)))
  const wrong = issues.flatMap((issue) => (issue && 'wrong' in issue ? [issue.wrong] : []))
  if (wrong.length > 0) throw invalidArguments(wrong)
  return issues.flatMap((issue) => (issue && 'open' in issue ? [issue.open] : []))
}

function checkedTokenUrl(connection: Addressed): string | null {
  try {
    return tokenUrlOf(connection)
  } catch (error) {
    throw invalidArguments([{ path: 'auth/settings/tokenUrl', message: (error as Error).message }])
  }
}

async function issueOf(fetcher: Fetcher, path: string, url: string): Promise<{ wrong: FieldError } | { open: FieldError } | null> {
  // What follows a ? or # would end up behind the path of every request.
  if (path === 'baseUrl' && /[?#]|\{\{/.test(url)) return { wrong: { path, message: 'must be an address without ?, # or placeholders' } }
  try {
    await fetcher.check(url, { httpsOnly: true })
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.details.reason === 'unresolved') {
      const message = `the name ${new URL(url).hostname} does not resolve now; nobody can be looked up until it does`
      return { open: { path, message } }
    }
    if (error.code === 'invalid_arguments') return { wrong: { path, message: error.message } }
    throw error
  }
}

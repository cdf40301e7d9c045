import { createApiAccount, getApiAccount, issueApiToken, listApiAccounts, revokeApiTokens } from '../domains/access/api-accounts.ts'
import { getClientByCode, getEventByCode } from '../domains/tenancy/found.ts'
import type { Database } from '../kernel/ports.ts'
import { openMigrated } from '../open-migrated.ts'
import { type Answer, type Command, type Flags, nameIn, needed, optional, UsageError, withDatabase } from './command.ts'

/** Reads what was said before a database is opened for it, which takes longer than to refuse it. */
type Action = (flags: Flags) => (database: Database) => Promise<Answer>

const create: Action = (flags) => {
  const name = nameIn(flags)
  // An empty one is a slip, and must not open the whole client.
  const event = flags['event'] === undefined ? undefined : needed(flags, 'event')
  if (!flags.agent && !flags.rest) throw new UsageError('--agent, --rest or both: what the account is for')
  const named = { tenantCode: optional(flags, 'tenant'), clientCode: needed(flags, 'client') }
  return async (database) => {
    const { accountId, token } = await database.transact(async (db) => {
      const client = await getClientByCode(db, named)
      const { tenantId, tenantCode, clientCode } = client
      // Covered by its code: one that is not there would make an account that answers nothing.
      if (event) await getEventByCode(db, client, event)
      const id = await createApiAccount(db, {
        tenantId,
        name,
        canActAsParticipantAgent: flags.agent === true,
        restAccess: flags.rest === true,
        allowedClients: event ? [] : [{ tenantCode, clientCode }],
        allowedEvents: event ? [{ tenantCode, clientCode, eventCode: event }] : [],
      })
      return { accountId: id, token: await issueApiToken(db, { tenantId, accountId: id }) }
    })
    return {
      text: `Account ${accountId} (${name}). Its token is shown once:\n\n  ${token.reveal()}`,
      data: { accountId, name, token: token.reveal() },
    }
  }
}

const list: Action = () => async (database) => {
  const accounts = await listApiAccounts(database.write)
  const lines = accounts.map(
    (a) =>
      `${a.id}  ${a.name}  ${[a.agent && 'agent', a.rest && 'rest'].filter(Boolean).join('+')}  ${a.liveTokens} live token(s)${a.active ? '' : '  inactive'}`,
  )
  return { text: lines.join('\n') || 'No API accounts yet.', data: { accounts } }
}

const token: Action = (flags) => {
  const named = needed(flags, 'account')
  return async (database) => {
    const account = await getApiAccount(database.write, named)
    const issued = await issueApiToken(database.write, account)
    return {
      text: `A further token of ${account.name}, shown once:\n\n  ${issued.reveal()}`,
      data: { accountId: account.accountId, token: issued.reveal() },
    }
  }
}

const revoke: Action = (flags) => {
  const named = needed(flags, 'account')
  return async (database) => {
    const account = await getApiAccount(database.write, named)
    const revoked = await revokeApiTokens(database.write, account)
    return { text: `${revoked} token(s) of ${account.name} are revoked.`, data: { accountId: account.accountId, revoked } }
  }
}

const ACTIONS: Record<string, Action> = { create, list, token, revoke }

export const accountCommand: Command = {
  usage:
    'account create --name <name> --client <code> [--event <code>] [--tenant <code>] --agent|--rest | list | token --account <id> | revoke --account <id>',
  summary: 'API accounts: make one, list them, issue a further token, revoke all tokens',
  options: { name: 'string', client: 'string', event: 'string', tenant: 'string', account: 'string', agent: 'boolean', rest: 'boolean' },
  run({ environment, words, flags }) {
    const action = ACTIONS[words[0] ?? '']
    if (!action) throw new UsageError(`account ${Object.keys(ACTIONS).join('|')}`)
    return withDatabase(() => openMigrated(environment), action(flags))
  },
}

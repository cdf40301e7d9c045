import { createApiAccount, getApiAccount, issueApiToken, listApiAccounts, revokeApiTokens } from '../domains/access/api-accounts.ts'
import { getClientByCode, getEventByCode } from '../domains/tenancy/create.ts'
import {
  type CommandAction,
  createActionCommand,
  CLIENT_OPTIONS,
  readNameOption,
  readTextOption,
  requireTextOption,
  UsageError,
} from './command.ts'

const create: CommandAction = (flags) => {
  const name = readNameOption(flags)
  // An empty --event is a mistake, and must not give access to the whole client.
  const event = flags['event'] === undefined ? undefined : requireTextOption(flags, 'event')
  if (!flags.agent && !flags.rest) throw new UsageError('--agent, --rest or both are required: they decide what the account can do')
  const named = { tenantCode: readTextOption(flags, 'tenant'), clientCode: requireTextOption(flags, 'client') }
  return async (database) => {
    const { accountId, token } = await database.transact(async (db) => {
      const client = await getClientByCode(db, named)
      const { tenantId, tenantCode, clientCode } = client
      // Throws if no event has this code, because the account would have access to nothing.
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

const list: CommandAction = () => async (database) => {
  const accounts = await listApiAccounts(database.write)
  const lines = accounts.map(
    (a) =>
      `${a.id}  ${a.name}  ${[a.agent && 'agent', a.rest && 'rest'].filter(Boolean).join('+')}  ${a.liveTokens} live token(s)${a.active ? '' : '  inactive'}`,
  )
  return { text: lines.join('\n') || 'No API accounts yet.', data: { accounts } }
}

const token: CommandAction = (flags) => {
  const named = requireTextOption(flags, 'account')
  return async (database) => {
    const account = await getApiAccount(database.write, named)
    const issued = await issueApiToken(database.write, account)
    return {
      text: `An additional token of ${account.name}, shown once:\n\n  ${issued.reveal()}`,
      data: { accountId: account.accountId, token: issued.reveal() },
    }
  }
}

const revoke: CommandAction = (flags) => {
  const named = requireTextOption(flags, 'account')
  return async (database) => {
    const account = await getApiAccount(database.write, named)
    const revoked = await revokeApiTokens(database.write, account)
    return { text: `${revoked} token(s) of ${account.name} are revoked.`, data: { accountId: account.accountId, revoked } }
  }
}

export const accountCommand = createActionCommand(
  'account',
  { create, list, token, revoke },
  {
    usage: [
      'account create --name <name> --client <code> [--tenant <code>] [--event <code>] --agent|--rest',
      'account list',
      'account token --account <id>',
      'account revoke --account <id>',
    ],
    summary: 'API accounts: create one, list them, issue another token, revoke all tokens',
    options: {
      name: { value: '<name>', help: 'name of the new account' },
      ...CLIENT_OPTIONS,
      event: { value: '<code>', help: 'limits the account to one event of the client' },
      agent: { value: null, help: 'the account can act as an assistant of participants' },
      rest: { value: null, help: 'the account can use the REST interface' },
      account: { value: '<id>', help: 'id of the account, as `account list` shows it' },
    },
  },
)

import {
  connectAppWithoutSignInPage,
  createUser,
  disableUser,
  getUserByEmail,
  isEmailUsedAtOtherTenant,
  listUsers,
  setUserRoleAtClient,
} from '../domains/access/users.ts'
import { createPasswordLink } from '../domains/sign-in/passwords.ts'
import { removeTotp } from '../domains/sign-in/totp.ts'
import { createClient, createTenant, getClientByCode } from '../domains/tenancy/create.ts'
import { email as emailWord } from '../kernel/args.ts'
import type { Db } from '../kernel/columns.ts'
import { AppError, conflict } from '../kernel/errors.ts'
import { CODE_PATTERN, toSlug } from '../kernel/ids.ts'
import { isRole, ROLES } from '../kernel/permissions.ts'
import type { Secret } from '../kernel/secrets.ts'
import type { Environment } from '../platform/environment.ts'
import {
  type CommandAction,
  createActionCommand,
  CLIENT_OPTIONS,
  readNameOption,
  readTextOption,
  requireTextOption,
  UsageError,
} from './command.ts'

/** Creates the user and, if they do not exist, the tenant and client. */
const create: CommandAction = (flags, environment) => {
  const email = emailWord().safeParse(requireTextOption(flags, 'email'))
  if (!email.success) throw new UsageError(`--email ${requireTextOption(flags, 'email')} is not an email address`)
  const role = readTextOption(flags, 'role') ?? 'admin'
  if (!isRole(role)) throw new UsageError(`--role must be one of ${ROLES.join(', ')}`)
  const clientCode = parseCode('client', requireTextOption(flags, 'client'))
  const tenantCode = flags['tenant'] === undefined ? undefined : parseCode('tenant', requireTextOption(flags, 'tenant'))
  const name = flags['name'] === undefined ? email.data : readNameOption(flags)
  return async (database) => {
    const place = await database.transact(async (db) => {
      const found = await findOrCreateClient(db, { tenantCode, clientCode })
      if (await isEmailUsedAtOtherTenant(db, { tenantId: found.tenantId, email: email.data }))
        throw conflict(`A user with the email ${email.data} already exists at another tenant`)
      const userId = await createUser(db, { tenantId: found.tenantId, email: email.data, name })
      await setUserRoleAtClient(db, { tenantId: found.tenantId, userId, clientId: found.clientId, role })
      return { ...found, link: passwordUrl(environment, await createPasswordLink(db, userId, 'invite')) }
    })
    return {
      text: `${email.data} is ${role} of ${place.tenantCode}/${clientCode}.\nThey choose a password here, once, within 72 hours:\n\n  ${place.link}`,
      data: { email: email.data, role, tenant: place.tenantCode, client: clientCode, passwordLink: place.link },
    }
  }
}

function parseCode(flag: string, text: string): string {
  if (!CODE_PATTERN.test(text))
    throw new UsageError(
      `--${flag} must be a code of lowercase letters, digits and dashes, at most 63, such as ${toSlug(text)}; it is ${JSON.stringify(text)}`,
    )
  return text
}

const passwordUrl = ({ baseUrl }: Environment, link: Secret) => `${baseUrl}/console/password?token=${link.reveal()}`

/**
 * Creates a password link for users who cannot read their email, or lost their authenticator and recovery codes. The old password works
 * until the new one is set.
 */
const reset: CommandAction = (flags, environment) => {
  const email = requireTextOption(flags, 'email')
  return async (database) => {
    const user = await getUserByEmail(database.write, email)
    const secret = await database.transact(async (db) => {
      await removeTotp(db, user.id)
      return createPasswordLink(db, user.id, 'reset')
    })
    const link = passwordUrl(environment, secret)
    return {
      text: `${user.email} sets a new password here, once, within 30 minutes:\n\n  ${link}\n\nTheir second factor is off; they can set it up again in the console.`,
      data: { email: user.email, passwordLink: link, secondFactor: false },
    }
  }
}

async function findOrCreateClient(db: Db, named: { tenantCode: string | undefined; clientCode: string }) {
  try {
    return await getClientByCode(db, named)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found' || !named.tenantCode) throw error
    const { tenantCode, clientCode } = named
    const known = await db.selectFrom('tenants').select('id').where('code', '=', tenantCode).executeTakeFirst()
    const tenantId = known?.id ?? (await createTenant(db, { code: tenantCode, name: tenantCode }))
    return {
      tenantId,
      tenantCode,
      clientCode,
      clientId: await createClient(db, { tenant_id: tenantId, code: clientCode, name: clientCode }),
    }
  }
}

const list: CommandAction = () => async (database) => {
  const users = await listUsers(database.write)
  const lines = users.map((u) => `${u.email}  ${u.client ?? '(no client)'}  ${u.role ?? ''}${u.active ? '' : '  disabled'}`)
  return { text: lines.join('\n') || 'No users yet.', data: { users } }
}

const disable: CommandAction = (flags) => {
  const email = requireTextOption(flags, 'email')
  return async (database) => {
    const user = await getUserByEmail(database.write, email)
    await disableUser(database.write, user.id)
    return { text: `${user.email} is disabled; their connected apps are signed out.`, data: { email: user.email, active: false } }
  }
}

/** Creates an access token for scripts, and for assistants that take a header instead of signing in. It expires like any access token. */
const connect: CommandAction = (flags, environment) => {
  const email = requireTextOption(flags, 'email')
  const appName = readTextOption(flags, 'app') ?? 'Command line'
  const resource = `${environment.baseUrl}/api/mcp/organizer`
  return async (database) => {
    const user = await getUserByEmail(database.write, email)
    if (!user.active) throw new UsageError(`${user.email} is disabled`)
    const { token } = await database.transact((db) =>
      connectAppWithoutSignInPage(db, {
        userId: user.id,
        tenantId: user.tenantId,
        accessVersion: user.accessVersion,
        clientId: 'lanyard-command-line',
        appName,
        resource,
        lifetime: '1 hour',
      }),
    )
    return {
      text: `Shown once, valid for one hour:\n\n  ${token.reveal()}\n\nSend it as "Authorization: Bearer …" to ${resource}`,
      data: { email: user.email, token: token.reveal(), expiresInSeconds: 3600 },
    }
  }
}

export const userCommand = createActionCommand(
  'user',
  { create, list, reset, disable, connect },
  {
    usage: [
      'user create --email <email> --client <code> [--tenant <code>] [--role <role>] [--name <name>]',
      'user list',
      'user reset --email <email>',
      'user disable --email <email>',
      'user connect --email <email> [--app <name>]',
    ],
    summary: 'organizers: create one, list them, reset a password and the second factor, disable one, or get a token for one',
    options: {
      email: { value: '<email>', help: 'email address of the organizer' },
      client: CLIENT_OPTIONS.client,
      tenant: { value: '<code>', help: 'code of the tenant; `create` also creates an unknown tenant and client' },
      role: { value: '<role>', help: `${ROLES.join(', ')}; admin if omitted` },
      name: { value: '<name>', help: 'name of the organizer; the email address if omitted' },
      app: { value: '<name>', help: 'name of the app in the list of connected apps; "Command line" if omitted' },
    },
  },
)

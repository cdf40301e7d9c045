import { DEMO_TENANT } from '../demo/stage.ts'
import { seedDemo } from '../demo.ts'
import { listTenantCodes } from '../domains/tenancy/create.ts'
import { openFileStore } from '../platform/file-store.ts'
import { loadMasterKeys } from '../platform/master-key.ts'
import { createPasswordHasher } from '../platform/passwords.ts'
import { formatWelcome } from '../welcome.ts'
import { type Command, UsageError, withCommandDatabase } from './command.ts'

export const demoCommand: Command = {
  usage: ['demo [--reset]'],
  summary: 'add the demo data; --reset creates it again. Refused if there are other tenants',
  options: {
    reset: { value: null, help: 'removes the demo with everything that was changed in it, and creates it again with new credentials' },
  },
  run: ({ environment, running, flags }) =>
    withCommandDatabase({ environment, running }, async (database) => {
      if (environment.production)
        throw new UsageError('The demo has public credentials: it cannot be added to a service that others can access')
      const others = (await listTenantCodes(database.write)).filter((code) => code !== DEMO_TENANT)
      if (others.length > 0) throw new UsageError(`This database has other tenants (${others.join(', ')}): the demo cannot be added to it`)
      const [passwords, keys, files] = [await createPasswordHasher(), await loadMasterKeys(environment), await openFileStore(environment)]
      const resource = `${environment.baseUrl}/api/mcp/organizer`
      const demo = await seedDemo(database, { resource, passwords, keys, files, reset: flags.reset === true }).finally(() => files.close())
      const { organizer, events } = demo
      return {
        text: formatWelcome({ environment, demo, setupKey: null, account: null, first: true }),
        data: {
          organizer,
          password: demo.password.reveal(),
          organizerToken: demo.organizerToken.reveal(),
          apiToken: demo.apiToken.reveal(),
          activationCode: demo.activationCode.reveal(),
          events,
        },
      }
    }),
}

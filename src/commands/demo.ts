import { DEMO_TENANT } from '../demo/stage.ts'
import { seedDemo } from '../demo.ts'
import { tenantCodes } from '../domains/tenancy/found.ts'
import { openFileStore } from '../platform/file-store.ts'
import { masterKeys } from '../platform/master-key.ts'
import { argonPasswords } from '../platform/passwords.ts'
import { openMigrated } from '../open-migrated.ts'
import { welcome } from '../welcome.ts'
import { type Command, UsageError, withDatabase } from './command.ts'

export const demoCommand: Command = {
  usage: 'demo [--reset]',
  summary: 'put the demo into the database; --reset makes it anew. Refused beside other tenants',
  options: { reset: 'boolean' },
  run: ({ environment, flags }) =>
    withDatabase(
      () => openMigrated(environment),
      async (database) => {
        if (environment.production)
          throw new UsageError('The demo has credentials that everybody sees: it is not put into a service that others reach')
        const others = (await tenantCodes(database.write)).filter((code) => code !== DEMO_TENANT)
        if (others.length > 0)
          throw new UsageError(`This database has other tenants (${others.join(', ')}): the demo does not go beside them`)
        const [passwords, keys, files] = [await argonPasswords(), await masterKeys(environment), await openFileStore(environment)]
        const resource = `${environment.baseUrl}/api/mcp/organizer`
        const demo = await seedDemo(database, { resource, passwords, keys, files, anew: flags.reset === true }).finally(() => files.close())
        const { organizer, events } = demo
        return {
          text: welcome({ environment, demo, setupKey: null, account: null, first: true }),
          data: {
            organizer,
            password: demo.password.reveal(),
            organizerToken: demo.organizerToken.reveal(),
            apiToken: demo.apiToken.reveal(),
            activationCode: demo.activationCode.reveal(),
            events,
          },
        }
      },
    ),
}

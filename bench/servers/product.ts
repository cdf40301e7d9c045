import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { openDatabase } from '../../src/platform/database.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { createLog } from '../../src/platform/log.ts'
import { startService } from '../../src/start.ts'
import { fixtureToolset } from '../../test/support/fixture-tools/index.ts'
import { serveMeasurements } from './listen.ts'
import { recordStatements } from './statements.ts'

/** Starts the product on PostgreSQL, with the fixture tools added. */
const url = process.env['DATABASE_URL']!
const environment = readEnvironment(
  {
    DATABASE_URL: url,
    PORT: '0',
    LANYARD_BASE_URL: 'http://localhost:3000',
    LANYARD_ROLE: 'web',
    LANYARD_SECRET_KEY: process.env['LANYARD_SECRET_KEY'] ?? randomBytes(32).toString('base64'),
  },
  false,
)
const database = createDatabaseAccess(await openDatabase({ url, dataDir: '' }))
const log = createLog({ level: environment.logLevel, format: environment.logFormat })
const { server } = await startService(environment, log, { toolsets: [fixtureToolset], database })

serveMeasurements(server, recordStatements(pg.Client))

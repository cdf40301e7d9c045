import { openEmbeddedPostgres } from '../../../src/platform/embedded-database.ts'

const [dataDir] = process.argv.slice(2)
if (!dataDir) throw new Error('commit-rows <dataDir>')
// Exits when the test run ends, even if the test run is killed.
process.stdin.resume().on('end', () => process.exit())
const { pool } = await openEmbeddedPostgres(dataDir)
await pool.query('create table kept (n int)')
for (let n = 1; ; n++) {
  await pool.query('insert into kept values ($1)', [n])
  const open = await pool.connect()
  await open.query('begin')
  await open.query('insert into kept values ($1)', [-n])
  await open.query('rollback')
  open.release()
  console.log(String(n))
}

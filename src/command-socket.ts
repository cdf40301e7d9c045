import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { CommandOutput } from './command-line.ts'
import type { Database, Log } from './kernel/ports.ts'
import { withShortSocketPath } from './platform/directory-lock.ts'
import type { Environment } from './platform/environment.ts'
import { sendSocketRequest } from './platform/folder-socket.ts'
import { ensurePrivateFolder } from './platform/private-folder.ts'

/** A command that another process sends to the running service, with its arguments as typed. */
interface CommandRequest {
  name: string
  args: readonly string[]
  /** The folder in which the command was typed. */
  folder: string
}

const SOCKET_FOLDER = 'commands'
const SOCKET_NAME = 'lanyard.sock'
/** Commands have few arguments, so a larger message from another process is a mistake. */
const MAX_REQUEST_BYTES = 100_000

/**
 * Runs commands that other processes send, because only one process can open the embedded database. The Unix socket is in a folder that
 * only the service's operating system account can enter, and that account can read the database anyway. Windows has no Unix sockets, so the
 * service must be stopped there before a command is run.
 */
export async function listenForCommands(parts: { environment: Environment; database: Database; log: Log }): Promise<() => Promise<void>> {
  const { environment, database, log } = parts
  if (database.engine !== 'embedded' || process.platform === 'win32') return async () => {}
  const folder = join(environment.dataDir, SOCKET_FOLDER)
  await ensurePrivateFolder(folder)
  const answer = async (socket: Socket) => {
    const { name, args, folder: typedIn } = await readRequest(socket)
    const { executeNamedCommand: executeCommand } = await import('./command-line.ts')
    const output = await executeCommand(name, args, { environment, running: database, folder: typedIn })
    log.info('command', { name, outcome: output.exit === 0 ? 'ok' : 'failed' })
    socket.end(JSON.stringify(output))
  }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    answer(socket).catch((error: Error) => {
      log.error('a command failed', { error: error.message, ...(error.stack ? { stack: error.stack } : {}) })
      const failure = `The command failed in the running service: ${error.message}`
      socket.end(JSON.stringify({ text: failure, data: { error: failure }, exit: 1 } satisfies CommandOutput))
    })
  })
  // Removes the socket file of a killed process. No other process listens on it, because this one holds the lock of the data folder.
  await rm(join(folder, SOCKET_NAME), { force: true })
  await withShortSocketPath(folder, SOCKET_NAME, async (path) => {
    server.listen(path)
    await once(server, 'listening')
  })
  return async () => {
    const closed = once(server, 'close')
    server.close()
    await closed
  }
}

async function readRequest(socket: Socket): Promise<CommandRequest> {
  let request = ''
  for await (const chunk of socket.setEncoding('utf8')) {
    request += chunk
    if (request.length > MAX_REQUEST_BYTES) throw new Error('the command is too long')
  }
  return JSON.parse(request) as CommandRequest
}

/** Asks the running service to execute a command. Returns null if no service listens. */
export async function sendCommandToRunningService(dataDir: string, request: CommandRequest): Promise<CommandOutput | null> {
  if (process.platform === 'win32') return null
  const response = await sendSocketRequest(join(dataDir, SOCKET_FOLDER), SOCKET_NAME, JSON.stringify(request))
  if (response !== '') return response === null ? null : (JSON.parse(response) as CommandOutput)
  const failure = 'The service stopped before the command ended. Run the command again.'
  return { text: failure, data: { error: failure }, exit: 1 }
}

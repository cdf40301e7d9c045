import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface ScriptedSmtp {
  url: string
  /** The number of open connections. */
  open: () => number
  stop: () => Promise<void>
}

/** An SMTP server with scripted responses, including invalid ones. A step that writes nothing leaves the client waiting. */
export async function startScriptedSmtp(script: {
  greet?: (socket: Socket) => void
  /** The response to a command; undefined means the usual response. */
  answer?: (command: string, socket: Socket) => string | null | undefined
}): Promise<ScriptedSmtp> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    if (script.greet) script.greet(socket)
    else socket.write('220 here\r\n')
    let inData = false
    let kept = ''
    socket.on('data', (chunk) => {
      const lines = (kept + chunk.toString()).split('\r\n')
      kept = lines.pop()!
      for (const line of lines) {
        if (inData && line !== '.') continue
        inData = line.toUpperCase() === 'DATA'
        const given = script.answer?.(line.toUpperCase(), socket)
        if (given === null) continue
        const said = given ?? usual(line.toUpperCase())
        if (!said.startsWith('354')) inData = false
        socket.write(`${said}\r\n`)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `smtp://ana:secret@127.0.0.1:${port}?ignoreTLS=true`,
    open: () => sockets.size,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function usual(command: string): string {
  if (command.startsWith('EHLO')) return '250-here\r\n250 AUTH PLAIN'
  if (command.startsWith('AUTH')) return '235 welcome'
  return command === 'DATA' ? '354 go on' : '250 ok'
}

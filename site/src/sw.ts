// The service worker: after the first visit the page opens without a network. All files of a
// version are stored together, so that versions cannot mix; a new version waits until
// the visitor accepts it.

/** The files of this build and a name for them; inserted by vite.config.ts. */
declare const BUILD: { version: string; files: string[] }

interface Worker {
  addEventListener(type: 'install', listener: (event: Installing) => void): void
  addEventListener(type: 'activate', listener: (event: Lasting) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
  skipWaiting(): Promise<void>
  clients: { claim(): Promise<void> }
  location: Location
  registration: { scope: string }
}
interface Lasting extends Event {
  waitUntil(promise: Promise<unknown>): void
}
interface Installing extends Lasting {
  /** Not every browser has it. */
  addRoutes?(
    rules: { condition: { urlPattern: URLPatternInit }; source: { cacheName: string } }[],
  ): Promise<void>
}
interface Fetching extends Event {
  request: Request
  respondWith(response: Promise<Response>): void
}

const worker = self as unknown as Worker
const prefix = 'jigsaw-'
const own = prefix + BUILD.version

worker.addEventListener('install', event => {
  // The browser serves these from the cache by itself, without starting this worker.
  const { pathname } = new URL(worker.registration.scope)
  const routes = [pathname, `${pathname}assets/*`].map(pathname => ({
    condition: { urlPattern: { pathname, search: '' } },
    source: { cacheName: own },
  }))
  if (event.addRoutes) event.waitUntil(event.addRoutes(routes).catch(() => {}))
  event.waitUntil(
    caches.open(own).then(cache =>
      // Names in assets contain a hash, so these files may come from the browser's cache.
      cache.addAll(
        BUILD.files.map(file => new Request(file, file.startsWith('assets/') ? {} : { cache: 'reload' })),
      ),
    ),
  )
})

worker.addEventListener('activate', event => {
  event.waitUntil(
    caches
      .keys()
      .then(names =>
        Promise.all(
          names.filter(name => name.startsWith(prefix) && name !== own).map(name => caches.delete(name)),
        ),
      )
      .then(() => worker.clients.claim()),
  )
})

worker.addEventListener('message', event => {
  if (event.data === 'take over') void worker.skipWaiting()
})

worker.addEventListener('fetch', event => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || !request.url.startsWith(worker.registration.scope)) return
  url.search = url.hash = ''
  // Every navigation gets the same page.
  const key = request.mode === 'navigate' ? new URL('./', worker.registration.scope).href : url.href
  event.respondWith(caches.open(own).then(async cache => (await cache.match(key)) ?? fetch(request)))
})

// Files dropped on the page: a scenario is opened, profiles are added to the open one.
import { readText } from '../keep/files'
import { noScenario, profilesIn, withProfiles } from '../scenario/model'
import { fields, text } from '../scenario/spec'
import type { Session } from '../state/session'

export function listenToDrops(session: Session): () => void {
  const onDragOver = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  }
  const onDrop = (event: DragEvent) => {
    const file = event.dataTransfer?.files[0]
    // A part of the page has handled it, or it is not a file.
    if (event.defaultPrevented || !file) return
    event.preventDefault()
    void open(session, file)
  }
  document.addEventListener('dragover', onDragOver)
  document.addEventListener('drop', onDrop)
  return () => {
    document.removeEventListener('dragover', onDragOver)
    document.removeEventListener('drop', onDrop)
  }
}

/** Opens a file that a visitor chose or dropped, and reports the outcome. */
export async function open(session: Session, file: File): Promise<void> {
  const { store } = session
  try {
    const read = await readText(file)
    const why = noScenario(read)
    if (why) throw new Error(why)
    const profiles = profilesIn(read)
    if (profiles.length === 0) {
      session.openNew(read)
      store.status.value = `${file.name} is open.`
      return
    }
    store.text.edit(withProfiles(store.text.text.peek(), profiles), true)
    const models = [...new Set(profiles.map(profile => text(fields(profile).model)))].join(', ')
    store.status.value = `Profiles of ${models} are in the scenario: choose one as the model of a job. Undo removes them.`
  } catch (error) {
    store.alert.value = `The file was not opened: ${error instanceof Error ? error.message : error}.`
  }
}

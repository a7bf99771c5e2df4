// The cluster: GPU types, and racks (short form) or nodes and links (full form).
import type { Compiled } from '../../engine/api'
import { NumberField, QuantityField, SelectField, TextField } from '../../ui/fields'
import { Icon } from '../../ui/icons'
import type { FailedList, ScenarioEdit } from '../edit'
import { fabricSpeed, gpuMemory, isDuration, nicSpeed, uplinkSpeed } from '../quantity'
import { type Fields, fields, list, number, text } from '../spec'
import type { Path } from '../yaml/path'
import { FailedField } from './FailedField'

interface Props {
  spec: Fields
  /** GPUs that models are profiled on. */
  gpus: readonly string[]
  edit: ScenarioEdit
  instance: Compiled | null
}

export function ClusterForm({ spec, gpus, edit, instance }: Props) {
  const cluster = fields(spec.cluster)
  const types = list(cluster.gpu_types).map(fields)
  const typeNames = types.map(type => text(type.name))
  const racks = list(cluster.racks).map(fields)
  const nodes = list(cluster.nodes).map(fields)
  const links = list(cluster.links).map(fields)
  const failed = (key: FailedList, label: string, noun: string, all?: readonly string[]) => (
    <FailedField
      at={['cluster', key]}
      label={label}
      noun={noun}
      list={key}
      failed={list(cluster[key]).map(text)}
      all={all}
      edit={edit}
    />
  )
  return (
    <>
      {types.map((type, i) => (
        <div class="fields" key={`type-${i}`}>
          <SelectField
            at={['cluster', 'gpu_types', i, 'name']}
            label="GPU"
            hint="Types for which the library has profiles. A file may name others, and say whose profiles to use for them."
            value={text(type.name)}
            options={gpuTypes(choices(text(type.name), gpus, typeNames))}
            onChange={value => edit.setGPU(i, value, MEMORY[value])}
          />
          <QuantityField
            at={['cluster', 'gpu_types', i, 'memory']}
            label={`${text(type.name) || 'GPU'} memory`}
            value={text(type.memory)}
            quantity={gpuMemory}
            onChange={value => edit.set(['cluster', 'gpu_types', i, 'memory'], value)}
          />
        </div>
      ))}
      {racks.map((rack, i) => (
        <RackForm
          key={`rack-${i}`}
          title={racks.length > 1 ? `Rack group ${i + 1}` : 'Racks'}
          path={['cluster', 'racks', i]}
          rack={rack}
          typeNames={typeNames}
          removable={racks.length > 1}
          edit={edit}
        />
      ))}
      {racks.length > 0 && (
        <button type="button" class="button" onClick={() => edit.addRack()}>
          + Rack group
        </button>
      )}
      {nodes.map((node, i) => (
        <NodeForm
          key={`node-${i}`}
          path={['cluster', 'nodes', i]}
          node={node}
          typeNames={typeNames}
          edit={edit}
        />
      ))}
      {links.map((link, i) => (
        <div class="fields" key={`link-${i}`}>
          <QuantityField
            at={['cluster', 'links', i, 'rate']}
            label={`Link ${text(link.name) || `${text(link.from)}-${text(link.to)}`}`}
            value={text(link.rate)}
            quantity={uplinkSpeed}
            onChange={value => edit.set(['cluster', 'links', i, 'rate'], value)}
          />
        </div>
      ))}
      <div class="fields">
        <TextField
          at={['cluster', 'latency']}
          label="Latency"
          hint="The minimum duration of a synchronisation, such as 100us."
          placeholder="0"
          value={text(cluster.latency)}
          fits={isDuration}
          onChange={value => edit.set(['cluster', 'latency'], value)}
        />
        {failed(
          'failed_links',
          'Cut links',
          'link',
          (instance?.links ?? []).map(link => link.name),
        )}
        {failed('failed_nodes', 'Failed nodes', 'node')}
        {failed('failed_gpus', 'Failed GPUs', 'GPU')}
      </div>
    </>
  )
}

/** The usual memory of a GPU type. */
const MEMORY: Readonly<Record<string, string>> = {
  p100: '16GiB',
  v100: '32GiB',
  a100: '80GiB',
  h100: '80GiB',
  t4: '16GiB',
  l4: '24GiB',
}

/** Choices for a type: itself, or a GPU of the library that no other type uses. */
const choices = (own: string, library: readonly string[], taken: readonly string[]) =>
  [...new Set([own, ...library.filter(gpu => !taken.includes(gpu))])].sort()

const gpuTypes = (names: readonly string[]) => names.map(name => [name, name] as const)

function RackForm(props: {
  title: string
  path: Path
  rack: Fields
  typeNames: string[]
  removable: boolean
  edit: ScenarioEdit
}) {
  const { title, path, rack, typeNames, edit } = props
  const key = (name: string): Path => [...path, name]
  return (
    <fieldset class="group">
      <legend class={props.removable ? undefined : 'hidden-visually'}>
        {title}
        {props.removable && (
          <button
            type="button"
            class="button quiet"
            aria-label={`Remove ${title}`}
            onClick={() => edit.set(path, undefined)}
          >
            <Icon name="close" />
          </button>
        )}
      </legend>
      <div class="fields">
        <NumberField
          at={key('count')}
          label="Racks"
          value={number(rack.count, 0) || 1}
          min={1}
          max={16}
          onChange={value => edit.setUnless(key('count'), value, 1)}
        />
        <NumberField
          at={key('nodes')}
          label="Nodes per rack"
          value={number(rack.nodes, 1)}
          min={1}
          max={32}
          onChange={value => edit.set(key('nodes'), value)}
        />
        <InsideFields
          labels={['GPUs per node', 'Fabric in a node']}
          path={path}
          node={rack}
          typeNames={typeNames}
          edit={edit}
        />
        {rack.uplink !== undefined ? (
          <QuantityField
            at={key('uplink')}
            label="Uplink of a rack"
            value={text(rack.uplink)}
            quantity={uplinkSpeed}
            onChange={value => edit.set(key('uplink'), value)}
          />
        ) : (
          <NumberField
            at={key('oversubscription')}
            label="Oversubscription"
            hint="The total speed of a rack's network cards, divided by that of its uplink."
            value={number(rack.oversubscription, 0) || 1}
            min={1}
            max={16}
            step={0.5}
            onChange={value => edit.setUnless(key('oversubscription'), value, 1)}
          />
        )}
      </div>
    </fieldset>
  )
}

function NodeForm(props: { path: Path; node: Fields; typeNames: string[]; edit: ScenarioEdit }) {
  const { path, node, typeNames, edit } = props
  return (
    <fieldset class="group">
      <legend>Node {text(node.name)}</legend>
      <div class="fields">
        <InsideFields labels={['GPUs', 'Fabric']} path={path} node={node} typeNames={typeNames} edit={edit} />
      </div>
    </fieldset>
  )
}

/** The inside of a node: of one node, or of each node of a rack. */
function InsideFields(props: {
  /** Labels of the GPUs and of the fabric. */
  labels: [string, string]
  path: Path
  node: Fields
  typeNames: string[]
  edit: ScenarioEdit
}) {
  const { labels, path, node, typeNames, edit } = props
  const key = (name: string): Path => [...path, name]
  return (
    <>
      <NumberField
        at={key('gpus')}
        label={labels[0]}
        value={number(node.gpus, 1)}
        min={1}
        max={16}
        onChange={value => edit.set(key('gpus'), value)}
      />
      {typeNames.length > 1 && (
        <SelectField
          at={key('gpu')}
          label="GPU type"
          value={text(node.gpu)}
          options={gpuTypes(typeNames)}
          onChange={value => edit.set(key('gpu'), value)}
        />
      )}
      <QuantityField
        at={key('nic')}
        label="Network card"
        value={text(node.nic)}
        quantity={nicSpeed}
        onChange={value => edit.set(key('nic'), value)}
      />
      <QuantityField
        at={key('fabric')}
        label={labels[1]}
        value={text(node.fabric)}
        quantity={fabricSpeed}
        onChange={value => edit.set(key('fabric'), value)}
      />
    </>
  )
}

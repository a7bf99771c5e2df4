package relax

// Before goes between a resource and the tick that a row about it is confined to.
const Before = " before tick "

func (p *pool) MemoryName() string { return "the memory of " + p.GPUName() }

func (p *pool) NICName() string { return "the NICs of " + p.nodeName() }

func (p *pool) FabricName() string { return "the fabrics of " + p.nodeName() }

// UplinkName is the class's uplinks in a sentence.
func (c *RackClass) UplinkName() string { return "the uplinks of " + c.name }

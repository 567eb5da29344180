import java.util.List;
/** A module. */
@Deprecated open module a.b {
    requires transitive java.base;
    requires static c;
    exports a.b to c, d.e;
    exports module.with.open;
    opens a;
    uses a.Service;
    provides a.Service with b.Impl, c.Impl;
}

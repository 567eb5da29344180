import com.sun.source.util.JavacTask;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import javax.tools.DiagnosticCollector;
import javax.tools.Diagnostic;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** A compiler that stays: starting one takes ten times as long as checking a class. */
public class JavaChecker {
    public static void main(String[] arguments) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            System.out.println(server.getLocalPort());
            System.out.flush();
            while (true) {
                try (Socket client = server.accept()) {
                    answer(compiler, client);
                }
            }
        }
    }

    private static void answer(JavaCompiler compiler, Socket client) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream()));
        String line = in.readLine();
        OutputStream out = client.getOutputStream();
        out.write(line != null && compiles(compiler, Path.of(line)) ? 'y' : 'n');
    }

    /** Whether a class of java.base compiles in the place of the one that is there. */
    private static boolean compiles(JavaCompiler compiler, Path path) {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                "-proc:none", "-implicit:none", "-nowarn", "-Xlint:none",
                "--patch-module", "java.base=" + path.getParent());
            JavacTask task = (JavacTask) compiler.getTask(
                Writer.nullWriter(), files, found, options, null, files.getJavaFileObjects(path));
            task.analyze();
        } catch (IOException | RuntimeException error) {
            return false;
        }
        return found.getDiagnostics().stream()
            .noneMatch(one -> one.getKind() == Diagnostic.Kind.ERROR);
    }
}
